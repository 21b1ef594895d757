# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of docs/operators.md runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

PAGE = Path(__file__).parents[3] / "docs" / "operators.md"


@pytest.mark.parametrize(
    "package, blocks, then",
    [
        ("torch", slice(0, 3), "scale_(y := torch.ones(5000), 2.0)\nassert (y == 2).all()"),
        ("jax", slice(3, 5), "assert (y == 2).all() and x.is_deleted()"),
    ],
)
def test_code_of_the_page(tmp_path, package, blocks, then):
    pytest.importorskip(package, reason=f"needs {package}, which is not installed")
    found = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 5
    program = tmp_path / "page.py"
    program.write_text("\n".join([*found[blocks], then]))
    path = os.pathsep.join([str(Path(tilewright.__path__[0]).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
