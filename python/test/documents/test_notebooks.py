# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The notebooks of docs/notebooks run from top to bottom; what they assert holds."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "docs" / "site"))

import notebooks  # noqa: E402

PAGES = sorted((ROOT / "docs" / "notebooks").glob("*.md"))
TEXT = "# Title\n\nText\n\n```python\nx = 1\n```\n\n```py\nnot run\n```\n\n```python\nprint(x)\n```\n"


@pytest.mark.skipif(not find_spec("matplotlib"), reason="needs matplotlib (./dev test --peer)")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_notebooks_run(page, tmp_path):
    script = tmp_path / "notebook.py"
    script.write_text(notebooks.program(page.read_text()))
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}"}
    done = subprocess.run([sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_cells_of_a_page():
    assert notebooks.cells(TEXT) == [
        ("markdown", "# Title\n\nText"),
        ("code", "x = 1"),
        ("markdown", "```py\nnot run\n```"),
        ("code", "print(x)"),
    ]
    assert notebooks.program(TEXT) == "x = 1\n\n\nprint(x)\n"
    made = json.loads(notebooks.notebook(TEXT))
    assert [cell["cell_type"] for cell in made["cells"]] == ["markdown", "code", "markdown", "code"]


def test_every_notebook_is_in_the_index():
    index = (ROOT / "docs" / "README.md").read_text()
    assert PAGES and all(f"(notebooks/{page.name})" in index for page in PAGES)
