# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each class of errors has a page in docs/errors: its example raises the error with the text that the page has, and the
correction runs."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tilewright import errors

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "errors"
CLASSES = [name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)]
WITHOUT_EXAMPLE = {"TileInternalError"}  # there is no bug to show


def blocks_of(page):
    return re.findall(r"^```(\w*)\n(.*?)^```$", (FOLDER / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL)


def variables_of(command):
    return dict(word.split("=", 1) for word in command.split() if "=" in word)


def run(program, folder, variables):
    (folder / "example.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=folder, env=os.environ | variables, capture_output=True, text=True
    )
    return done.returncode, (done.stdout + done.stderr).replace(f"{folder}/", "")


def matches(expected, output):
    """Whether the output ends with that text, in which `...` stands for any other."""
    pattern = ".*".join(map(re.escape, " ".join(expected.split()).split("...")))
    return re.search(f"{pattern}$", " ".join(output.split()))


def test_each_class_has_a_page_and_a_row():
    assert sorted(page.stem for page in FOLDER.glob("*.md")) == sorted([*CLASSES, "README"])
    rows = re.findall(r"^\| \[(\w+)\]\(\1\.md\)", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert sorted([*rows, "TileError"]) == sorted(CLASSES)


@pytest.mark.parametrize("page", [name for name in CLASSES if name not in WITHOUT_EXAMPLE])
def test_examples(page, tmp_path):
    variables, programs, texts = {}, [], {}
    for language, text in blocks_of(page):
        if language == "python":
            programs.append(text)
        elif language == "sh":
            variables = variables_of(text)
        else:
            texts[len(programs) - 1] = text
    if "import torch" in programs[0] and not find_spec("torch"):
        pytest.skip("needs PyTorch")
    for number, program in enumerate(programs):
        code, output = run(program, tmp_path, variables)
        assert matches(texts.get(number, ""), output), f"the page has\n{texts[number]}\nthe program says\n{output}"
        if number == 0:
            assert page in output or page == "TileError"
        else:
            assert code == 0
