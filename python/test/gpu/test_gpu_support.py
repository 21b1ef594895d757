# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation with every element type in every mode gives on a GPU what it gives in the interpreter. A sample of
them; all with TILEWRIGHT_ALL_TESTS=1."""

import json
import os
import subprocess
import sys
from pathlib import Path

TEST = Path(__file__).resolve().parents[1]
EVERY = 1 if os.environ.get("TILEWRIGHT_ALL_TESTS") else 12
LEFT_TO_THE_IMPLEMENTATION = {("make_tensor_view", "extents of i1")}
"""What lies outside of a view without padding."""


def test_operations_by_type_and_mode():
    asked = subprocess.run(
        [sys.executable, "-m", "support", f"--every={EVERY}"], cwd=TEST, stdout=subprocess.PIPE, text=True, check=True
    )
    results = [json.loads(line) for line in asked.stdout.splitlines()]
    assert sum(len(result["modes"]) for result in results) > 200
    wrong = [
        f"{result['row']} {result['column']} {mode}: {text}"
        for result in results
        for mode, text in result["wrong"].get("gpu", [])
        if not any((result["row"].split()[0], word) in LEFT_TO_THE_IMPLEMENTATION for word in mode)
    ]
    assert not wrong, "\n".join(wrong)
