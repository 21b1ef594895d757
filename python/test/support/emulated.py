# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entries of a module as code for aarch64, which run in the emulator of launch/emulator.py."""

import tempfile
from pathlib import Path

from launch.emulator import Memory, run_entry
from tilewright import TileAssertionError, _native


class EmulatedEntry:
    def __init__(self, target, folder, symbol):
        self.target, self.folder, self.symbol = target, folder, symbol

    def run(self, grid, values, arrays):
        memories = [Memory(address, extents[0]) for _, address, _, extents, _, _ in arrays]
        library = Path(self.folder.name) / "support.so"
        printed, failure = run_entry(self.target, library, self.symbol, grid, values, memories)
        print(printed, end="", flush=True)
        if failure:
            raise TileAssertionError(f"{self.symbol}: {failure}")


def emulated_entries(module, target, level, symbols):
    folder = tempfile.TemporaryDirectory()  # as long as the entries live
    library = Path(folder.name) / "support.so"
    made = _native.compile_to(module, "support", target, "obj", opt_level=level)
    _native.link_shared(made.output, str(library))
    library.with_suffix(".h").write_text(made.header)
    return [EmulatedEntry(target, folder, symbol) for symbol in symbols]
