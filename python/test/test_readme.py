# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's kernel prints what the README says."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_example_prints_its_output(tmp_path):
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    position = next(i for i, (language, _) in enumerate(blocks) if language == "python")
    program, expected = blocks[position][1], blocks[position + 1][1]
    assert program.count("\n") <= 25
    script = tmp_path / "example.py"
    script.write_text(program)
    result = subprocess.run([sys.executable, str(script)], cwd=ROOT, capture_output=True, text=True)
    assert result.stderr == ""
    assert result.stdout == expected
