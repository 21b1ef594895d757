#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that reference texts of Tile IR parse and print back byte for byte.

usage: corpus_round_trip.py <tilewright-opt>

TILEWRIGHT_TILE_IR_TEXTS names a directory of *.txt files, each the entries of one module
as a disassembler prints them (no module around them). Without it there is nothing to check.
"""

import os
import pathlib
import re
import subprocess
import sys

SPLIT = "// -----\n"
WRAP = "cuda_tile.module @corpus {\n%s}\n"


def unwrap(printed):
    """The text inside of `module { cuda_tile.module @corpus { ... } }`."""
    lines = printed.strip("\n").split("\n")
    return "".join(line.removeprefix("    ") + "\n" for line in lines[2:-2])


def main():
    directory = os.environ.get("TILEWRIGHT_TILE_IR_TEXTS")
    if not directory:
        print("skipped: TILEWRIGHT_TILE_IR_TEXTS is not set to a directory of texts")
        return 0
    files = sorted(pathlib.Path(directory).glob("*.txt"))
    texts = [file.read_text() for file in files]
    source = SPLIT.join(WRAP % text for text in texts)
    run = subprocess.run([sys.argv[1], "--split-input-file", "-"], input=source, capture_output=True, text=True)
    printed = run.stdout.split(SPLIT)
    bad = []
    printed += [""] * (len(files) - len(printed))
    for file, text, back in zip(files, texts, printed, strict=True):
        if unwrap(back) != text:
            bad.append(file)
            if len(bad) <= 10:
                print(f"{file.name}: {first_difference(text, unwrap(back))}")
    for line in re.findall(r".*error: .*", run.stderr)[:10]:
        print(line)
    print(f"{len(files) - len(bad)} of {len(files)} texts print back as they were read")
    return 1 if bad else 0


def first_difference(text, back):
    if not back:
        return "does not parse"
    for wanted, got in zip(text.split("\n"), back.split("\n"), strict=False):
        if wanted != got:
            return f"\n  expected {wanted!r}\n  got      {got!r}"
    return "lengths differ"


if __name__ == "__main__":
    sys.exit(main())
