# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every module of `tile_ir_generator`, each operation by version, type and flag, reaches the level that targets share.

That takes seconds; test_compile_modules.py compiles a sample of them to code."""

import re
from collections import Counter

import nvidia_tools
from tilewright import _native
from tilewright.errors import TileError

nvidia_tools.require("cuda-tile")

import tile_ir_generator  # noqa: E402


def diagnostics(module):
    """The compiler's error for a module, without values and places."""
    try:
        _native.compile_to(module.data, module.name, target="cpu", emit="tileaa")
    except (TileError, ValueError) as error:
        lines = [re.sub(r"^.*?error: ", "", line) for line in str(error).splitlines() if "error: " in line]
        return lines or [str(error).splitlines()[0]]
    return []


def test_all_lower():
    refused = Counter(line for module in tile_ir_generator.modules() for line in set(diagnostics(module)))
    assert not refused, "\n".join(f"{count} x {line}" for line, count in refused.most_common())
