# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Software around us, the folders that are written to, and the environment variables that are set."""

from __future__ import annotations

import contextlib
import difflib
import importlib.metadata
import os
import platform
import shutil
import tempfile
from pathlib import Path
from typing import Any

import tilewright
from tilewright import _native
from tilewright._runtime import cache, environment
from tilewright._tools.doctor.answer import Answer, no, yes

# The distributions that a framework may come in.
_FRAMEWORKS = {
    "NumPy": ("numpy",),
    "ml_dtypes": ("ml_dtypes",),
    "PyTorch": ("torch",),
    "JAX": ("jax",),
    "Numba": ("numba",),
    "Triton": ("triton",),
    "cuda.tile": ("cuda-tile",),
    "CuPy": ("cupy", "cupy-cuda13x", "cupy-cuda12x", "cupy-cuda11x"),
}

_PREFIX = "TILEWRIGHT_"


def versions() -> dict[str, Any]:
    return {
        "tilewright": tilewright.__version__,
        "Tile IR": _native.newest_bytecode_version,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "package": str(Path(tilewright.__file__).parent),
    }


def version_of(framework: str) -> str | None:
    """Of the installed one, which is not imported: that takes seconds, and may start a GPU."""
    for distribution in _FRAMEWORKS[framework]:
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def frameworks() -> dict[str, str | None]:
    return {name: version_of(name) for name in _FRAMEWORKS}


def caches() -> dict[str, Any]:
    found: dict[str, Any] = {"compiled kernels": _kernel_cache()}
    for title, variable in (("plans (TILEWRIGHT_LOCKS)", "TILEWRIGHT_LOCKS"),
                            ("failed modules", "TILEWRIGHT_REPRODUCER_DIR")):  # fmt: skip
        folder = _value(variable) or (None if variable == "TILEWRIGHT_LOCKS" else tempfile.gettempdir())
        found[title] = None if folder is None else _folder(folder)
    return found


def _kernel_cache() -> dict[str, Any] | None:
    try:
        folder, limit = cache.folder(), cache.max_bytes()
    except ValueError:  # `variables` says which
        return None
    if folder is None:
        return None
    sizes = []
    for path in Path(folder).glob("*.image"):
        with contextlib.suppress(FileNotFoundError):  # removed meanwhile
            sizes.append(path.stat().st_size)
    return _folder(folder) | {"kernels": len(sizes), "used bytes": sum(sizes), "limit bytes": limit}


def _folder(path: str) -> dict[str, Any]:
    existing = next(folder for folder in (Path(path).absolute(), *Path(path).absolute().parents) if folder.exists())
    return {"path": path, "writable": _writable(existing), "free bytes": shutil.disk_usage(existing).free}


def _writable(folder: Path) -> Answer:
    """Permissions do not tell everything: a file without a name is made there."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return yes()
    except OSError as error:
        return no(error.strerror or str(error))


def _value(variable: str) -> Any:
    try:
        return environment.value(variable)
    except ValueError:
        return None


def variables() -> dict[str, Any]:
    """Those of ours that are set, and those that begin like ours."""
    known = {option.variable: option for option in environment.variables()}
    ours = [name for name in os.environ if name in known or name.startswith(_PREFIX)]
    return {name: {"value": os.environ[name], "valid": _valid(name, known)} for name in sorted(ours)}


def _valid(name: str, known: dict[str, Any]) -> Answer:
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        return no("no such variable" + (f", expected {near[0]}" if near else ""))
    text = os.environ[name]
    if not text and not known[name].takes_empty:
        return yes("empty, which counts as not set")
    try:
        known[name].read(text)
    except ValueError as error:
        return no(str(error))
    return yes()
