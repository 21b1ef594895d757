# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of docs/operators.md runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tilewright

pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

PAGE = Path(__file__).parents[3] / "docs" / "operators.md"


def test_code_of_the_page(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks) + "\nscale_(y := torch.ones(5000), 2.0)\nassert (y == 2).all()\n")
    path = os.pathsep.join([str(Path(tilewright.__path__[0]).parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, program], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
