# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU that programs are told about where there is only a CPU."""

from __future__ import annotations

import os
import platform
import re

NAME = f"{platform.processor() or platform.machine()} (tilewright.compat)"
CORES = os.cpu_count() or 1
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes


def _capability() -> tuple[int, int]:
    """The capability by which programs choose features: all of the language runs, so it is that of a GPU that has all
    of it."""
    text = os.environ.get("TILEWRIGHT_COMPAT_CAPABILITY", "10.0")
    match = re.fullmatch(r"(\d+)\.(\d)", text)
    if match is None:
        raise ValueError(f"TILEWRIGHT_COMPAT_CAPABILITY is {text!r}, expected a compute capability, for example 9.0")
    return int(match[1]), int(match[2])


CAPABILITY = _capability()
