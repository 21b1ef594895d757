#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs CorpusTest.cpp on the modules of NVIDIA's front end and checks how long it takes.

usage: corpus.py TILEWRIGHT_TESTS

TILEWRIGHT_TILE_IR_MODULES names their directory, TILEWRIGHT_CORPUS a directory or an archive. Without either the
archive beside this tree is taken, if there is one.
"""

import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ARCHIVE = "shared/corpus/tile-ir-modules.tar.xz"
TOP = pathlib.Path(__file__).resolve().parents[5]
# Of processor time, for reading and verifying, and for writing.
SECONDS = 3


def find():
    for variable in "TILEWRIGHT_TILE_IR_MODULES", "TILEWRIGHT_CORPUS":
        if path := os.environ.get(variable):
            return pathlib.Path(path)
    return TOP / ARCHIVE


def check(tests, directory):
    command = [tests, "--gtest_filter=BytecodeCorpus.*"]
    run = subprocess.run(
        command, env=os.environ | {"TILEWRIGHT_TILE_IR_MODULES": str(directory)}, capture_output=True, text=True
    )
    line = next((line for line in run.stdout.splitlines() if " modules, " in line), "")
    if run.returncode or not line:
        sys.exit(run.stdout + run.stderr)
    print(line)
    reading, verifying, writing = map(float, re.findall(r"in (\d+\.\d+) s", line))
    # A sanitizer makes it several times slower, and no promise is about that.
    is_sanitized = "ASAN_OPTIONS" in os.environ
    if not is_sanitized and max(reading + verifying, writing) > SECONDS:
        sys.exit(f"expected to read and verify in {SECONDS} s and to write in {SECONDS} s")


def main():
    corpus = find()
    if corpus.is_dir():
        check(sys.argv[1], corpus)
    elif corpus.is_file():
        with tempfile.TemporaryDirectory() as directory, tarfile.open(corpus) as archive:
            archive.extractall(directory, filter="data")
            check(sys.argv[1], directory)
    else:
        print("skipped: no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")


if __name__ == "__main__":
    main()
