# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every module of `tile_ir_generator`, each operation by version, type and flag, compiles for the CPU.

All of them as far as the level that targets share, which takes seconds, and a sample as far as code. What does not
compile is listed by its diagnostics; how many do must not fall.
"""

import re
from collections import Counter

import nvidia_tools
from tilewright import _native

nvidia_tools.require("cuda-tile")

import tile_ir_generator  # noqa: E402

# Of 3889.
COMPILED = 3889
EVERY = 40


def diagnostics(module, level):
    """What the compiler says against a module, without values and places."""
    try:
        _native.compile_to(module.data, module.name, target="cpu", emit=level)
    except (RuntimeError, ValueError) as error:
        lines = [re.sub(r"^.*?error: ", "", line) for line in str(error).splitlines() if "error: " in line]
        return lines or [str(error).splitlines()[0]]
    return []


def test_all_lower():
    found = [(module.name, diagnostics(module, "tileaa")) for module in tile_ir_generator.modules()]
    bad = [(name, lines) for name, lines in found if lines]
    reasons = Counter(line for _, lines in bad for line in set(lines))
    assert len(found) - len(bad) >= COMPILED, "\n".join(
        f"{count} x {reason}" for reason, count in reasons.most_common()
    )


def test_a_sample_compiles():
    bad = {
        module.name: lines
        for i, module in enumerate(tile_ir_generator.modules())
        if i % EVERY == 0 and not diagnostics(module, "tileaa") and (lines := diagnostics(module, "obj"))
    }
    assert not bad, bad
