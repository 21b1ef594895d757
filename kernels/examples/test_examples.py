# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ast
import pathlib
import runpy

import pytest

EXAMPLES = sorted(p for p in pathlib.Path(__file__).parent.glob("*.py") if not p.stem.startswith(("_", "test_")))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_prints_what_its_docstring_says(path, capsys):
    runpy.run_path(str(path))
    expected = ast.get_docstring(ast.parse(path.read_text())).split("It prints\n\n")[1]
    assert capsys.readouterr().out.strip() == expected.strip()
