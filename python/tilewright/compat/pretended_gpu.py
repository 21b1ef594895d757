# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU that programs are told about where there is only a CPU."""

from __future__ import annotations

import os
import platform

from tilewright._runtime import environment

NAME = f"{platform.processor() or platform.machine()} (tilewright.compat)"
CORES = os.cpu_count() or 1
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes


def _capability() -> tuple[int, int]:
    """The capability by which programs choose features: all of the language runs, so it is that of a GPU that has all
    of it."""
    major, minor = environment.value("TILEWRIGHT_COMPAT_CAPABILITY").split(".")
    return int(major), int(minor)


CAPABILITY = _capability()
