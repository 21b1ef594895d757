# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dumps of a compilation that the environment asks for; see `_runtime/environment.py`."""

from __future__ import annotations

import sys
import tempfile
import time
import zipfile
from pathlib import Path
from types import FunctionType
from typing import Any

from tilewright._frontend.ir.program import Block
from tilewright._frontend.ir.text import block_text
from tilewright._runtime import environment


def show_operations(symbol: str, block: Block) -> None:
    """The operations of an entry, after the front end's passes."""
    if "CUTILEIR" in environment.value("CUDA_TILE_LOGS"):
        print(f"==== operations of {symbol} ====\n\n{block_text(block)}\n", file=sys.stderr)


def show_module(function: FunctionType, module: Any) -> None:
    """The verified module of a kernel."""
    if "TILEIR" in environment.value("CUDA_TILE_LOGS"):
        print(f"==== Tile IR of {function.__name__} ====\n\n{module.text()}\n", file=sys.stderr)
    _keep("CUDA_TILE_DUMP_TILEIR", function, ".tileir", lambda: module.text().encode())
    _keep("CUDA_TILE_DUMP_BYTECODE", function, ".tileirbc", lambda: module.bytecode(""))


def _keep(variable: str, function: FunctionType, suffix: str, content: Any) -> None:
    """A new file in the folder that the variable names, called after the kernel and its place."""
    folder = environment.value(variable)
    if folder is None:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    code = function.__code__
    prefix = f"{function.__name__}.{Path(code.co_filename).stem}.ln{code.co_firstlineno}."
    with tempfile.NamedTemporaryFile(suffix=suffix, prefix=prefix, dir=folder, delete=False) as file:
        file.write(content())
    print(f"tilewright: {variable}: {file.name}", file=sys.stderr)


def keep_failure(name: str, module: Any, message: str) -> None:
    """An archive with the module that the compiler failed on, without the names of files, and the message."""
    if not environment.value("CUDA_TILE_ENABLE_CRASH_DUMP"):
        return
    from tilewright import __version__

    path = Path(f"crash_dump_{name}_{time.time()}.zip").resolve()
    text = module.text()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.tileir", text)
        archive.writestr("error.txt", f"{message}\n\ntilewright {__version__}\n")
    print(f"tilewright: CUDA_TILE_ENABLE_CRASH_DUMP: {path}", file=sys.stderr)
