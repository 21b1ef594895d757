# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operation with every flag and element type, as `tile_ir_generator` writes them, in the interpreter.

What the results are, the other tests of the interpreter say; here no legal module may be one that it does not know.
"""

from collections import Counter

import numpy as np
import nvidia_tools
import pytest
import tilewright as ct

nvidia_tools.require("cuda-tile")

import tile_ir_generator  # noqa: E402

# Pointers are made from this number; the memory that takes its place is large enough for all tiles behind it.
ADDRESS = "<i64: 4096>"
MEMORY_BYTES = 1 << 22
# Compares what a loop adds up, and would not end with other numbers; foreign functions are not there.
UNKNOWN = {"preview$call"}


def run(module, memory) -> str:
    """What happened: "ran", "asserted", or the first line of an error."""
    text = ct.disassemble(module.data).replace(ADDRESS, f"<i64: {memory.ctypes.data + MEMORY_BYTES // 2}>")
    kernels = ct.load_module(text.encode())
    for kernel in kernels.values():
        values = [memory.ctypes.data + MEMORY_BYTES // 2 if p.kind == "pointer" else 1 for p in kernel.parameters]
        try:
            kernel.compile("interpreter").run((1, 1, 1), values, step_limit=100_000)
        except ct.TileAssertionError:
            return "asserted"
        except ct.TileInterpreterError as error:
            return str(error).splitlines()[0].partition("error: ")[2]
    return "ran"


def test_every_generated_module_runs(capsys):
    memory = np.zeros(MEMORY_BYTES + 256, np.uint8)
    memory = memory[-memory.ctypes.data % 256 :]
    outcomes, failures = Counter(), []
    for module in tile_ir_generator.modules():
        outcome = run(module, memory)
        outcomes[outcome] += 1
        if outcome not in ("ran", "asserted"):
            failures.append(f"{module.name} {module.version.as_string()}: {outcome}")
    with capsys.disabled():
        print(f"\n{outcomes}")
    assert not failures, "\n".join(failures[:5])
    assert outcomes["ran"] > 3000


if __name__ == "__main__":
    pytest.main([__file__])
