# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings that cost time or have no effect, with the remedy."""

from __future__ import annotations

from typing import Any


def give(found: dict[str, Any]) -> dict[str, str]:
    advice = {}
    machine, cache = found["machine"], found["caches"]["compiled kernels"]
    cores, threads = machine["cores by cgroup"], machine["threads of a launch"]
    if cores is not None and threads > max(cores, 1):
        advice["threads"] = (
            f"a launch takes {threads} threads, and the cgroup has time for {cores:g} cores: set"
            f" TILEWRIGHT_NUM_THREADS={max(int(cores), 1)}"
        )
    if cache is None:
        advice["cache"] = "it is off: each process compiles its kernels again"
    elif not cache["writable"]["works"]:
        advice["cache"] = "it is not writable, so each process compiles its kernels again: set TILEWRIGHT_CACHE_DIR"
    for name, row in found["environment"].items():
        if not row["valid"]["works"]:
            advice[name] = row["valid"]["because"]
    return advice
