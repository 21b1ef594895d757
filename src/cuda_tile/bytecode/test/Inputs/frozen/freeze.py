#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the frozen files of bytecode that do not exist yet, and checks all of them.

usage: freeze.py TILEWRIGHT_TRANSLATE [--peer TILEIRDISASM]

Each folder beside this script is one set: texts `SINCE.mlir` with what that version added, and each of them as bytes
of every version that has it, `SINCE-in-VERSION.tilebc`. Bytes that exist are never written again: a reader of today
reads the files of every writer before it. When the writer changes, copy the texts into the next folder and run this.
FrozenTest.cpp reads all sets and writes the last one.

With --peer, NVIDIA's disassembler has to print the text that we print.
"""

import argparse
import pathlib
import subprocess
import sys

VERSIONS = ["13.1", "13.2", "13.3", "13.4"]
SETS = pathlib.Path(__file__).parent


def run(*command):
    process = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=False)
    if process.returncode:
        sys.exit(f"{command[0]} failed on {command[-1]}")
    return process.stdout


def frozen_files(folder):
    """(text, version, bytes) of each file of a set."""
    for text in sorted(folder.glob("*.mlir")):
        for version in VERSIONS[VERSIONS.index(text.stem) :]:
            yield text, version, folder / f"{text.stem}-in-{version}.tilebc"


def freeze(translate, text, version, path):
    written = run(translate, "--mlir-to-tilebc", f"--bytecode-version={version}", text)
    if not path.exists():
        path.write_bytes(written)
        print(f"wrote {path}")
    elif path.read_bytes() != written:
        sys.exit(f"{path} is frozen, and the writer writes other bytes now: make the next set")


def compare(translate, disassembler, path):
    ours = run(translate, "--tilebc-to-mlir", path).decode().splitlines()
    # Inside of `cuda_tile.module`, which the reference prints as a comment or not at all.
    ours = [line.removeprefix("  ") for line in ours[1:-1]]
    theirs = run(disassembler, path).decode().splitlines()
    theirs = [line for line in theirs if not line.startswith("// Producer")]
    if ours != theirs:
        sys.exit(f"{path}: {disassembler} prints another text")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("translate")
    parser.add_argument("--peer")
    args = parser.parse_args()
    last = max((folder for folder in SETS.iterdir() if folder.is_dir()), key=lambda folder: int(folder.name))
    for text, version, path in frozen_files(last):
        freeze(args.translate, text, version, path)
    if args.peer:
        for path in sorted(SETS.glob("*/*.tilebc")):
            compare(args.translate, args.peer, path)


if __name__ == "__main__":
    main()
