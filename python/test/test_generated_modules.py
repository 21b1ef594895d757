# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every module of `tile_ir_generator`, each operation by version, type and flag, compiles for the CPU.

All of them as far as the level that targets share, which takes seconds, and a sample as far as code.
"""

import re
from collections import Counter

import nvidia_tools
from tilewright import _native
from tilewright.errors import TileError

nvidia_tools.require("cuda-tile")

import tile_ir_generator  # noqa: E402

EVERY = 40


def diagnostics(module, level):
    """What the compiler says against a module, without values and places."""
    try:
        _native.compile_to(module.data, module.name, target="cpu", emit=level)
    except (TileError, ValueError) as error:
        lines = [re.sub(r"^.*?error: ", "", line) for line in str(error).splitlines() if "error: " in line]
        return lines or [str(error).splitlines()[0]]
    return []


def test_all_lower():
    refused = Counter(line for module in tile_ir_generator.modules() for line in set(diagnostics(module, "tileaa")))
    assert not refused, "\n".join(f"{count} x {line}" for line, count in refused.most_common())


def test_a_sample_compiles():
    bad = {
        module.name: lines
        for i, module in enumerate(tile_ir_generator.modules())
        if i % EVERY == 0 and (lines := diagnostics(module, "obj"))
    }
    assert not bad, bad
