# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU on which times are measured, as the system describes it."""

import os
import platform
import sys
from pathlib import Path

import numpy as np
from tilewright import _native
from tilewright._frontend.compile import compile_to_module
from tilewright._frontend.signature import Signature
from tilewright._runtime.dispatch import launcher_of
from tilewright.limits import time_limit

from kernels.vector_add.kernel import vector_add_kernel

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 1 << 10, "M": 1 << 20}


def describe() -> dict:
    info = processor()
    return {
        "cpu": info.get("model name", platform.processor()),
        "family": [info.get(key) for key in ("vendor_id", "cpu family", "model", "stepping")],
        "features": sorted(f for f in info.get("flags", "").split() if f.startswith(("avx", "amx", "fma"))),
        "megahertz": float(info.get("cpu MHz", 0)),
        "cores": len(os.sched_getaffinity(0)),
        "caches": caches(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "plan": plan(),
    }


def processor() -> dict:
    """Of the first one, as the system describes it."""
    try:
        text = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return {}
    pairs = (line.partition(":") for line in text.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def caches() -> dict:
    """Bytes of each data cache that the first core sees, and how many processors share it."""
    found = {}
    for index in sorted(CACHES.glob("index*")):
        level, kind, size, shared = (
            (index / name).read_text().strip() for name in ("level", "type", "size", "shared_cpu_list")
        )
        if kind != "Instruction":
            found[f"L{level}"] = {"bytes": int(size[:-1]) * UNITS[size[-1]], "shared": count(shared)}
    return found


def count(list_of_ranges: str) -> int:
    """As in 0-3,8."""
    ends = (each.split("-") for each in list_of_ranges.split(","))
    return sum(int(each[-1]) - int(each[0]) + 1 for each in ends)


def plan() -> dict:
    """The decisions for any kernel on this machine."""
    arrays = (*(np.ones(64, np.float32) for _ in range(3)), 64)
    compiled = compile_to_module(vector_add_kernel, Signature(launcher_of(vector_add_kernel).specs(arrays)))
    made = _native.compile_to(compiled.module, "plan", "cpu", emit="plan", packages=sys.path, time_limit=time_limit())
    pairs = (line.partition(" = ") for line in made.output.decode().splitlines() if " = " in line)
    return {key: value for key, _, value in pairs}
