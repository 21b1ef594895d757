# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPUs, their driver, and the assemblers that the compiler would use, in its order."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._tools.doctor.answer import no, yes
from tilewright.errors import TileError

_SECONDS = 10  # for a program that prints its version


def describe() -> dict[str, Any]:
    try:
        version, count = _native.describe_driver()
    except (TileError, RuntimeError) as error:
        return {"driver": no(str(error)), "GPUs": [], "assemblers": _assemblers(0)}
    return {
        "driver": yes(f"CUDA {_cuda_version(version)}"),
        "GPUs": [_gpu(ordinal) for ordinal in range(count)],
        "assemblers": _assemblers(version),
    }


def _cuda_version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _gpu(ordinal: int) -> dict[str, Any]:
    try:
        name, architecture, multiprocessors, shared = _native.describe_gpu(ordinal)
    except (TileError, RuntimeError) as error:
        return {"name": f"GPU {ordinal}", "supported": no(str(error))}
    return {"name": name, "supported": yes(architecture), "multiprocessors": multiprocessors,
            "shared bytes of a block": shared}  # fmt: skip


def _assemblers(driver: int) -> list[dict[str, str]]:
    found = []
    for path in _native.find_assemblers([folder for folder in sys.path if isinstance(folder, str)], driver):
        if path == "driver":
            kind, version = "driver", _cuda_version(driver) if driver else "not there"
        elif Path(path).name.startswith("libnvJitLink"):
            kind, version = "nvJitLink", _library_version(path)
        else:
            kind, version = "ptxas", _program_version(path)
        found.append({"kind": kind, "version": version, "path": path})
    return found


def _library_version(path: str) -> str:
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    try:
        status = ctypes.CDLL(path).nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor))
    except (OSError, AttributeError) as error:
        return f"does not load: {error}"
    return f"{major.value}.{minor.value}" if status == 0 else "unknown"


def _program_version(path: str) -> str:
    try:
        made = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return f"does not start: {error}"
    version = re.search(r"release [\d.]+, V?(\d[\d.]*)", made.stdout)
    return version[1] if version else "unknown"
