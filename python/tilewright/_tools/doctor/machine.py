# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processor, its cores, and the limits on their use."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._tools.doctor import control_groups
from tilewright._tools.doctor.answer import no, yes


def describe() -> dict[str, Any]:
    host = _native.describe_host()
    limits = control_groups.read()
    return {
        "system": platform.platform(),
        "processor": _model_name() or platform.machine(),
        "processor for LLVM": host["processor"],
        "vector unit": f"{host['instruction_set']}, {host['vector_registers']} registers of {host['vector_bits']} bits",
        "products of bf16 in pairs": host["products_of_bf16_pairs"],
        "arithmetic of f16": host["arithmetic_of_f16"],
        "matrix unit (AMX)": yes() if host["matrix_unit"] else no(host["no_matrix_unit_because"]),
        "L1 bytes": host["l1_bytes"],
        "L2 bytes": host["l2_bytes"],
        "cores": os.cpu_count(),
        "cores of this process": len(os.sched_getaffinity(0)),
        "cores by cgroup": limits.cores,
        "memory bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "memory bytes by cgroup": limits.memory_bytes,
        "threads of a launch": host["threads"],
        "features": host["features"],
    }


def _model_name() -> str:
    """As x86 has it; processors of Arm do not say it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
