#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the file docs/bytecode.md takes apart is what the writer writes.

usage: documentation.py TILEWRIGHT_TRANSLATE
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
LINE = re.compile(r"^([0-9a-f]+)  ((?:[0-9a-f]{2} )+) +\S", re.MULTILINE)


def main():
    chapter = (ROOT / "docs/bytecode.md").read_text().split("## A file byte by byte")[1]
    text = re.search(r"```mlir\n(.*?)```", chapter, re.DOTALL)[1]
    command = [sys.argv[1], "--mlir-to-tilebc", "--bytecode-version=13.4"]
    written = subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout
    documented = b""
    for offset, numbers in LINE.findall(chapter):
        if int(offset, 16) != len(documented):
            sys.exit(f"docs/bytecode.md: line {offset} follows {len(documented):x} bytes")
        documented += bytes.fromhex(numbers)
    for at, (ours, theirs) in enumerate(zip(written, documented, strict=False)):
        if ours != theirs:
            sys.exit(f"docs/bytecode.md: byte {at:x} is {ours:02x}, the document has {theirs:02x}")
    if len(written) != len(documented) or f"is {len(written)} bytes" not in chapter:
        sys.exit(f"docs/bytecode.md: the file has {len(written)} bytes, the document {len(documented)}")


if __name__ == "__main__":
    main()
