#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every rule of the dialect has a test with its whole message.

usage: rules_tested.py <directory of the dialect>

A rule is a call of emitError or emitOpError in C++, or the text of a type constraint in a record. The literals of a
message, in order and with anything between them, must match all of some expected-error in test/*_invalid.mlir, or of
a literal in a *Test.cpp if no text can break the rule.
"""

import pathlib
import re
import sys

LITERAL = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(r"\bemit(?:Op)?Error\(")
CHOICE = re.compile(rf"\?\s*({LITERAL})\s*:\s*({LITERAL})")
CONSTRAINT = re.compile(rf'def \w+ : (?:CudaTile_TileOf|Type)<(?:CPred<)?{LITERAL}>?,\s*"([^"]+)"')
EXPECTED = re.compile(r"expected-(?:error|note)(?:-re)? ?@[^{]*\{\{(.*)\}\}")
PREFIX = r"(?:(?:custom op )?'cuda_tile\.[\w$]+' (?:op )?)?"


def statements(source):
    """Every statement that emits an error, from the call to its semicolon."""
    source = re.sub(r"//[^\n]*", "", source)
    for call in CALL.finditer(source):
        end, depth = call.start(), 0
        for token in re.finditer(rf"{LITERAL}|'.'|[(){{}};]", source[call.start() :]):
            depth += (token.group() in "({") - (token.group() in ")}")
            if depth < 0 or (depth == 0 and token.group() == ";"):
                end = call.start() + token.start()
                break
        # A note has a statement's end of its own.
        yield source.count("\n", 0, call.start()) + 1, source[call.end() : end].split(".attachNote(")[0]


def pattern(statement):
    """The literals of a message as a regular expression; None if there are none."""
    # Either word of `is ? "a" : "b"` will do.
    words = {}

    def keep(choice):
        words[f"\0{len(words)}\0"] = "|".join(re.escape(unquote(word)) for word in choice.groups())
        return f'"\0{len(words) - 1}\0"'

    pieces = [unquote(piece) for piece in re.findall(LITERAL, CHOICE.sub(keep, statement))]
    if not any(piece.strip("' \0") for piece in pieces):
        return None
    text = ".*".join(words[piece].join(("(?:", ")")) if piece in words else re.escape(piece) for piece in pieces)
    return re.compile(f"{PREFIX}.*?{text}.*")


def unquote(literal):
    return literal[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def main():
    directory = pathlib.Path(sys.argv[1])
    expected = [
        message
        for file in sorted(directory.glob("test/*_invalid.mlir"))
        for message in EXPECTED.findall(file.read_text())
    ]
    for file in directory.rglob("*Test.cpp"):
        expected += map(unquote, re.findall(LITERAL, file.read_text()))
    missing, count = [], 0
    for file in sorted(directory.rglob("*.cpp")):
        if file.name.endswith("Test.cpp"):
            continue
        for line, statement in statements(file.read_text()):
            rule = pattern(statement)
            if rule is None:
                continue
            count += 1
            if not any(rule.fullmatch(message) for message in expected):
                missing.append(f"{file}:{line}: no test expects the message of {' '.join(statement.split())}")
    for file in sorted(directory.rglob("*.td")):
        for text in CONSTRAINT.findall(file.read_text()):
            count += 1
            if not any(
                f"must be {text}, but got" in message or f"of {text}, but got" in message for message in expected
            ):
                missing.append(f"{file}: no test expects 'must be {text}, but got'")
    print("\n".join(missing) or f"all {count} rules have a test")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
