# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long modules of the corpus take to a cubin, one after the other in this process."""

import os
import sys
from pathlib import Path

from bench.compile_modules import ARCHIVE, Measurement
from bench.row import Measured, Row, duration

TARGET, SAMPLE = "nvidia:sm_90", 60
LIMITS = {"median": (0.5, 0.068), "95th percentile": (0.95, 0.40)}  # what NVIDIA's tileiras takes, in seconds


def compile_rows():
    """Nothing where there is no corpus."""
    path = Path(os.environ.get("TILEWRIGHT_CORPUS", ARCHIVE))
    if not path.exists():
        return
    measured = []

    def row(name, q, limit):
        def measure(rounds):
            if not measured:
                measured.append(Measurement(path, SAMPLE, target=TARGET, emit="cubin", packages=sys.path))
            known = measured[0]
            taken = known.quantile(q, 1)
            seen = f"{duration(taken)}, {len(known.times)} modules, {known.refused.total()} refused"
            return Measured(limit / taken, seen, {"seconds": taken, "refused": dict(known.refused)})

        return Row(f"compile for sm_90, corpus, {name}", 1.0, f"tileiras {duration(limit)}", measure)

    for name, (q, limit) in LIMITS.items():
        yield row(name, q, limit)
