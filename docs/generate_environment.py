#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/environment.md from the table in python/tilewright/_runtime/environment.py."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "environment.md"

HEAD = """# Environment variables

Written from the table in [environment.py](../python/tilewright/_runtime/environment.py) by
`docs/generate_environment.py`. A value that a variable cannot have is an error when a kernel is compiled or the
command `tilewright` starts, whoever reads the variable; set to nothing is not set. Variables are read when a kernel is
compiled: what is compiled already stays as it is.
"""
SECTIONS = {
    False: "## Tilewright",
    True: """## Of cuda.tile

Programs that set these for NVIDIA's compiler find them here. The program `tileiras` reads none of them.""",
}


def text():
    sys.path.insert(0, str(ROOT / "python"))
    from tilewright._runtime.environment import VARIABLES

    parts = [HEAD]
    for is_reference, title in SECTIONS.items():
        parts.append(f"{title}\n\n| variable | is | without it | meaning | read by |\n|---|---|---|---|---|")
        parts[-1] += "".join(
            f"\n| `{v.name}` | {v.kind.expected} | {v.shown_default} | {v.meaning} | `{v.reader}` |"
            for v in VARIABLES
            if v.is_reference == is_reference
        )
        parts[-1] += "\n"
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text())
