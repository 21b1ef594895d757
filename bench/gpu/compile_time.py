# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long modules of the corpus take to a cubin, one after the other: ours in this process; NVIDIA's tileiras, where
it is in PATH, in a process for each."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.compile_modules import ARCHIVE, Measurement
from bench.gpu.portable import our_tileiras
from bench.row import Measured, Row, duration

ARCHITECTURE, SAMPLE = "sm_90", 60
QUANTILES = {"median": (0.5, 0.068), "95th percentile": (0.95, 0.40)}  # with seconds that tileiras took elsewhere


class Times:
    """Of the modules that both compile, in order of time."""

    def __init__(self, path):
        ours = Measurement(path, SAMPLE, target=f"nvidia:{ARCHITECTURE}", emit="cubin", packages=sys.path)
        self.refused = dict(ours.refused)
        self.ours = {name: wall for _, wall, name in ours.times}
        self.theirs = {}
        tileiras = shutil.which("tileiras")
        if tileiras and Path(tileiras).resolve() != our_tileiras().resolve():
            self.theirs = {name: self.seconds(tileiras, ours.contents[name]) for name in self.ours}
            both = {name for name, taken in self.theirs.items() if taken is not None}
            self.ours, self.theirs = ({name: times[name] for name in both} for times in (self.ours, self.theirs))

    @staticmethod
    def seconds(tileiras, content) -> float | None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "k.tilebc")
            source.write_bytes(content)
            start = time.perf_counter()
            command = [tileiras, source, "--gpu-name", ARCHITECTURE, "-o", Path(folder, "k.cubin")]
            done = subprocess.run(command, capture_output=True)
            return time.perf_counter() - start if done.returncode == 0 else None

    @staticmethod
    def quantile(times, q) -> float:
        ordered = sorted(times.values())
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def compile_rows():
    """Nothing where there is no corpus."""
    path = Path(os.environ.get("TILEWRIGHT_CORPUS", ARCHIVE))
    if not path.exists():
        return
    known = []

    def row(name, q, elsewhere):
        def measure(rounds):
            if not known:
                known.append(Times(path))
            times = known[0]
            ours = times.quantile(times.ours, q)
            limit = times.quantile(times.theirs, q) if times.theirs else elsewhere
            seen = f"{duration(ours)}, tileiras {duration(limit)}{'' if times.theirs else ' elsewhere'}"
            seen += f"; {len(times.ours)} modules, {sum(times.refused.values())} refused"
            return Measured(limit / ours, seen, {"ours": ours, "tileiras": limit, "refused": times.refused})

        return Row(f"compile for {ARCHITECTURE}, corpus, {name}", 1.0, "tileiras", measure)

    for name, (q, elsewhere) in QUANTILES.items():
        yield row(name, q, elsewhere)
