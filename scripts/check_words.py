# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules for the prose of comments, docstrings, documents and records, which scripts/check_tree.py applies.

A row of RULES forbids a pattern, a row of PRIVATE a term without a row in docs/glossary.md, a row of IDIOMS an
expression for which the field has a term.
"""

import ast
import functools
import io
import pathlib
import re
import tokenize
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"


class Rule(NamedTuple):
    pattern: re.Pattern
    where: str  # "prose", "document prose", "summary" of a record, or "pass summary"
    reason: str


THIRD_PERSON = (
    "adds|assigns|attaches|becomes|brings|calls|checks|chooses|combines|converts|copies|decides|describes|does|drops|encodes|"
    "ends|expands|fetches|finds|folds|formats|gets|gives|goes|groups|inserts|keeps|lets|loads|lowers|makes|marks|moves|packs|"
    "puts|reads|reduces|refuses|releases|removes|repeats|replaces|reports|returns|says|selects|sets|splits|starts|stores|"
    "takes|turns|verifies|waits|wraps|writes"
)
# Sentences are matched from their first word to their end.
RULES = (
    Rule(
        re.compile(r"(What|Who|Whatever|Whoever)\b(?!.*\?$)", re.DOTALL),
        "prose",
        "begins with a clause as its subject; expected the noun that it stands for",
    ),
    Rule(
        re.compile(r"(what|who|whatever|whoever)\b(?!.*\?$)", re.DOTALL),
        "document prose",
        "begins with a clause as its subject; expected the noun that it stands for",
    ),
    Rule(
        re.compile(r"(what|who|whatever|whoever)\b", re.IGNORECASE),
        "summary",
        "begins with a clause; expected an imperative verb or a noun phrase",
    ),
    Rule(
        re.compile(rf"({THIRD_PERSON})\b"),
        "summary",
        "begins with a verb in the third person; expected the imperative, as in 'load a tile'",
    ),
    Rule(re.compile(r".{73,}"), "summary", "has more than 72 characters"),
    Rule(
        re.compile(r"(an?|the)\b|\w+[^s]s (are|become|come|end|get|go|have|wait)\b"),
        "pass summary",
        "is no imperative, as in 'insert barriers between dependent accesses'",
    ),
)

# Terms of this project with the field's word for each. docs/glossary.md has a row for those that stay.
PRIVATE = {
    "brought tile": "staged tile",
    "brought load": "staged load",
    "computed again": "rematerialized",
    "fetched ahead": "prefetched",
    "copied ahead": "prefetched",
    "turns of a loop": "iterations",
    "turn of a loop": "iteration",
    "turns of the loop": "iterations",
    "turn of the loop": "iteration",
    "kept tile": "cached tile",
    "agent": "warp-specialized region",
    "atom": "mma instruction",
    "border": "verifier between levels",
}

# Expressions that personify code or replace a term of the field, each with the terms.
IDIOMS = {
    r"whoever": "the operation, the thread, the caller",
    r"nobody|somebody": "no thread, no operation, unused",
    r"brought|brings?": "copy, load, convert, lower",
    r"(told|tells?|telling) (\w+ ){0,3}apart": "distinguish",
    r"anew": "again",
}

# Tables of these words, and pages generated from records that are checked themselves.
EXEMPT = (
    "scripts/check_words.py",
    "python/test/tools/test_house_rules.py",
    "docs/glossary.md",
    "docs/reference/",
    "docs/tile-ir.md",
)


@functools.cache
def glossary_terms():
    """The terms of docs/glossary.md, without a remark in parentheses."""
    rows = re.findall(r"^\| ([^|(]+?) *(?:\([^|]*)?\|", GLOSSARY.read_text(), re.MULTILINE)
    return {term.lower() for term in rows}


def slash_comments(text):
    """Runs of lines of C++ and TableGen comments, each with the number of its first line."""
    run, first = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = re.match(r"\s*//[/<!]* ?(.*)", line)
        trailing = None if found else re.search(r"[;,{})\w] +// (.*)", line)
        if found and found[1].strip():
            run = run or []
            first = first or number
            run.append(found[1])
            continue
        if run:
            yield first, "\n".join(run)
            run, first = [], 0
        if trailing:
            yield number, trailing[1]


def described(text):
    """Summaries and descriptions of TableGen records: line, kind, text."""
    for found in re.finditer(r'let summary = "([^"]*)"', text):
        before = text[: found.start()]
        is_pass = re.search(r"^def \w+\s*: (\w+)", before[before.rfind("\ndef ") + 1 :])
        yield before.count("\n") + 1, "pass summary" if is_pass and is_pass[1] == "Pass" else "summary", found[1]
    for found in re.finditer(r"let description = \[\{(.*?)\}\]", text, re.DOTALL):
        yield text[: found.start(1)].count("\n") + 1, "prose", without_code(found[1])


def without_code(text):
    """The text with blocks of code blanked, line by line."""
    return re.sub(
        r"^ *```.*?^ *```", lambda found: re.sub(r"[^\n]", "", found[0]), text, flags=re.MULTILINE | re.DOTALL
    )


def python_prose(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False):
                yield node.body[0].lineno, node.body[0].value.value
    run, first, last = [], 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if run and token.start[0] == last + 1:
            run.append(token.string.lstrip("# "))
        else:
            if run:
                yield first, "\n".join(run)
            run, first = [token.string.lstrip("# ")], token.start[0]
        last = token.start[0]
    if run:
        yield first, "\n".join(run)


def prose_of(path, text):
    """Line, kind and text of each piece of prose in a file."""
    if path.suffix in {".cpp", ".h", ".td"}:
        yield from ((line, "prose", piece) for line, piece in slash_comments(text))
    if path.suffix == ".td":
        yield from described(text)
    if path.suffix == ".py":
        yield from ((line, "prose", piece) for line, piece in python_prose(text))
    if path.suffix == ".md":
        yield 1, "document prose", without_code(text)


# Sentences begin with the text, a paragraph, a cell of a table, an item of a list or a heading, and after a full stop.
BEGIN = re.compile(
    r"(?:\A\s*|\n\s*\n\s*|\n\s*[-*] |^\| | \| |(?:\A|\n)#+ |(?<=[.?!:]) +|(?<=[.?!:])\n\s*)(?=\w)", re.MULTILINE
)
END = re.compile(r"[.?!](?=\s|$)|\n\s*\n| \||\Z")


def sentences(text):
    """Each sentence with the number of lines before it."""
    for found in BEGIN.finditer(text):
        end = END.search(text, found.end())
        yield text[: found.end()].count("\n"), text[found.end() : end.end()]


def broken_rules(line, kind, piece):
    starts = [(0, piece)] if kind.endswith("summary") else list(sentences(piece))
    for offset, sentence in starts:
        for rule in RULES:
            if kind.endswith(rule.where) and rule.pattern.match(sentence):
                yield f"line {line + offset}: '{sentence.splitlines()[0][:50]}' {rule.reason}"


def private_terms(line, piece):
    for term, word in PRIVATE.items():
        found = re.search(rf"\b{term}s?\b", piece, re.IGNORECASE)
        if found and term not in glossary_terms():
            at = line + piece[: found.start()].count("\n")
            yield f"line {at}: '{term}' is a private term; expected '{word}', or a row in docs/glossary.md"


def idioms(line, piece):
    for pattern, words in IDIOMS.items():
        for found in re.finditer(rf"\b({pattern})\b", piece, re.IGNORECASE):
            at = line + piece[: found.start()].count("\n")
            yield f"line {at}: '{found[0]}' is an idiom; expected a term of the field, as {words}"


def complaints(path, text):
    """A line for each rule that a file of that path and text breaks."""
    name = path.resolve()
    if name.is_relative_to(ROOT) and name.relative_to(ROOT).as_posix().startswith(EXEMPT):
        return
    for line, kind, piece in prose_of(path, text):
        yield from broken_rules(line, kind, piece)
        yield from private_terms(line, piece)
        yield from idioms(line, piece)
