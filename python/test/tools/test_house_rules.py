# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/check_words.py: each rule on text that breaks it and on text that keeps it."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "scripts"))

import check_words  # noqa: E402


def complaints(name, text):
    return list(check_words.complaints(Path("/tree") / name, text))


def record(kind, summary, description=""):
    body = f'let summary = "{summary}";\n  let description = [{{\n    {description}\n  }}];'
    return f'def Thing : {kind}<"thing"> {{\n  {body}\n}}\n'


BROKEN = {
    "a comment": ("a.cpp", "int x; // What the loop reads is copied.\n", "line 1: 'What the loop reads is copied.'"),
    "a second sentence": ("a.h", "/// Copies tiles.\n/// Who waits for them sees it.\n", "line 2: 'Who waits"),
    "a sentence in a line": ("a.cpp", "// Copies tiles. Whatever is left stays.\n", "line 1: 'Whatever is left"),
    "a docstring": ("a.py", 'def f():\n    """What a call gives."""\n', "line 2: 'What a call gives.'"),
    "a comment of Python": ("a.py", "x = 1\n# What is left.\n", "line 2: 'What is left.'"),
    "a document": ("a.md", "# Title\n\nText.\nWhat is found is told.\n", "line 4: 'What is found"),
    "a row of a table": ("a.md", "| a | b |\n|---|---|\n| What is it | b |\n", "line 3: 'What is it"),
    "a second cell": ("a.md", "| a | b |\n|---|---|\n| b | What is it |\n", "line 3: 'What is it"),
    "a title": ("a.md", "# What is it\n", "line 1: 'What is it"),
    "a clause in a cell": ("a.md", "| a | b |\n|---|---|\n| b | what it is |\n", "line 3: 'what it is"),
    "a description": ("a.td", record("Op", "load a tile", "What it loads is a tile."), "line 4: 'What it loads"),
    "a clause as summary": ("a.td", record("Op", "what a loop adds"), "begins with a clause"),
    "a third person": ("a.td", record("Op", "loads a tile"), "third person"),
    "a long summary": ("a.td", record("Op", "load " + "x" * 68), "more than 72 characters"),
    "a sentence as summary of a pass": ("a.td", record("Pass", "reductions end within a warp"), "no imperative"),
    "a noun as summary of a pass": ("a.td", record("Pass", "a layout for every tile"), "no imperative"),
    "a private term": (
        "a.cpp",
        "// The cached tiles, a kept tile of\n// a loop.\n",
        "line 1: 'kept tile' is a private term",
    ),
    "an idiom": ("a.h", "// The stage\n// that nobody reads.\n", "line 2: 'nobody' is an idiom; expected"),
}
KEPT = {
    "a question": ("a.md", "What does it read? A tile.\n"),
    "a word in a sentence": ("a.cpp", "// The tile is what the loop reads.\n"),
    "code in a document": ("a.md", "```\nWhat is this\n```\n"),
    "code": ("a.cpp", 'const char *text = "What is wrong";\n'),
    "a string of Python": ("a.py", 'text = "What is wrong"\n'),
    "an imperative": ("a.td", record("Pass", "split reductions across warps", "Splits them.")),
    "a noun as summary of an operation": ("a.td", record("Op", "a buffer of a stage")),
    "72 characters": ("a.td", record("Op", "load " + "x" * 67)),
    "a term with a row": ("a.cpp", "// The agents of a CTA.\n"),
    "a file that is left alone": ("../tree/docs/a.md", "Text.\n"),
}


@pytest.mark.parametrize("name, text, expected", BROKEN.values(), ids=BROKEN)
def test_broken_rules_are_found(name, text, expected):
    found = complaints(name, text)
    assert len(found) == 1 and expected in found[0], found


@pytest.mark.parametrize("name, text", KEPT.values(), ids=KEPT)
def test_other_text_is_left_alone(name, text):
    assert complaints(name, text) == []


def test_allowed_files_are_left_alone():
    text = "What is here is generated.\n"
    assert list(check_words.complaints(ROOT / "docs/reference/passes.md", text)) == []
    assert list(check_words.complaints(ROOT / "docs/nvidia.md", text)) != []


def test_private_terms_name_their_row():
    assert "agent" in check_words.glossary_terms() and "plan" in check_words.glossary_terms()
    assert "brought tile" not in check_words.glossary_terms()
