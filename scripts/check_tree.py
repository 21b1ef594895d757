#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""House rules that no other tool checks; names each file that breaks one and exits 1.

usage: check_tree.py [FILE...]      default: every file git tracks
"""

import pathlib
import re
import subprocess
import sys

import check_sizes
import check_words

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SOURCE = {".cpp", ".h", ".td", ".py"}
PROSE = SOURCE | {".md"}
VAGUE = re.compile(r"(utils?|utility|utilities|helpers?|common|misc)", re.IGNORECASE)
TODO = re.compile(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))")
MAX_BYTES = 500_000
# The folders of src/ in the order of the table in CONTRIBUTING.md: each includes itself and those before it; tests
# include what they like.
LAYERS = (
    "options machine predict abi layout cuda_tile/ir support cuda_tile cpp tileaa tileas cpu/ir lower cpu target"
    " runtime pipeline planner interpreter gpu_simulator session cpp/host cpp/jit fuzz"
).split()
INCLUDE = re.compile(r'#include "([^"]+)"')


def layer_of(inside_src):
    """The place in LAYERS of the longest name that the path begins with; None for headers of others."""
    known = [name for name in LAYERS if f"{inside_src}/".startswith(f"{name}/")]
    return LAYERS.index(max(known, key=len)) if known else None


def upward_includes(path, text):
    if path.parts[0] != "src" or path.suffix not in {".cpp", ".h"} or path.stem.endswith("Test"):
        return
    layer = layer_of(path.relative_to("src").as_posix())
    for number, line in enumerate(text.splitlines(), 1):
        if found := INCLUDE.match(line):
            used = layer_of(found[1])
            if used is not None and (layer is None or used > layer):
                yield f"line {number}: includes {found[1]}, which lies above it; see LAYERS in scripts/check_tree.py"


def complaints(path):
    if VAGUE.fullmatch(path.stem):
        yield "is named for no job; expected a name that says what the file is about"
    if path.stat().st_size > MAX_BYTES:
        yield f"has {path.stat().st_size} bytes, expected at most {MAX_BYTES}"
    if path.suffix not in PROSE:
        return
    text = path.read_text()
    yield from check_words.complaints(path, text)
    if path.suffix not in SOURCE:
        return
    head = text.split("\n", 2)[:2]
    if text.strip() and not any(LICENCE in line for line in head):
        yield f"has no licence line, expected '{LICENCE}' at the top"
    yield from upward_includes(path.relative_to(ROOT), text)
    yield from check_sizes.file_complaints(path.relative_to(ROOT).as_posix(), text)
    if path != pathlib.Path(__file__).resolve():
        for number, line in enumerate(text.splitlines(), 1):
            if found := TODO.search(line):
                yield f"line {number}: {found[1]} without an issue, expected {found[1]}(#number)"


def tracked():
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    return [name for name in listing.stdout.split("\0") if name]


def tree_complaints(names):
    """Rules about all files together."""
    yield from check_sizes.folder_complaints(names)
    sources = (name for name in names if name.startswith("src/") and (ROOT / name).suffix in {".cpp", ".h"})
    yield from check_sizes.function_complaints({name: (ROOT / name).read_text() for name in sources})


def main(names):
    failed = False
    if not names:
        for complaint in tree_complaints([name for name in tracked() if (ROOT / name).is_file()]):
            print(complaint)
            failed = True
    for name in names or tracked():
        path = (ROOT / name).resolve()
        if path.is_file():
            for complaint in complaints(path):
                print(f"{name}: {complaint}")
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
