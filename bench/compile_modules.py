# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long modules of Tile IR take to compile for this CPU, all in one process, as a launch compiles them.

python -m bench.compile_modules [PATH...] [--sample N] [--slowest N]: PATH is a directory or an archive of modules;
without one TILEWRIGHT_CORPUS is taken, or the archive beside this tree. `python -m tile_ir_generator DIRECTORY`
in python/test writes modules of every operation and type. Exit status 1 if the median or the 95th percentile is missed
or a module makes the compiler fail; modules that are refused with a reason are counted.
"""

import argparse
import os
import random
import re
import sys
import tarfile
import time
from collections import Counter
from pathlib import Path

from tilewright import _native
from tilewright.errors import TileCompilerExecutionError, TileCompilerTimeoutError
from tilewright.limits import time_limit

MEDIAN, P95 = 0.05, 0.3  # seconds
ARCHIVE = Path(__file__).resolve().parents[2] / "shared/corpus/tile-ir-modules.tar.xz"


def modules(path: Path):
    """(name, bytes) of a directory or an archive, in an order that does not depend on names."""
    if path.is_dir():
        found = [(file.name, file.read_bytes()) for file in sorted(path.iterdir()) if file.is_file()]
    else:
        with tarfile.open(path) as archive:
            found = [(Path(m.name).name, archive.extractfile(m).read()) for m in archive if m.isfile()]
    random.Random(0).shuffle(found)
    return found


def compile_module(name, content, **options):
    options = {"emit": "obj", "verify": False, "time_limit": time_limit() or 60} | options
    return _native.compile_to(content, name=name, **options)


def stages(name, content):
    """The stages that a module spends most of its time in, as text."""
    timing = compile_module(name, content, timing=True).timing
    lines = re.findall(r"^ *([\d.]+) \( *[\d.]+%\)( +)(.*)$", timing, re.MULTILINE)
    top = min((len(indent) for _, indent, _ in lines), default=0)
    times = [(float(t), what) for t, indent, what in lines if len(indent) == top and what not in ("Total", "Rest")]
    return ", ".join(f"{what} {t * 1e3:.0f}" for t, what in sorted(times, reverse=True)[:3])


def reason(error) -> str:
    """The first line of a diagnostic without its place and its function."""
    line = str(error).partition("error: ")[2].partition("\n")[0] or str(error).partition("\n")[0]
    return re.sub(r" \(in function '.*", "", line)


class Measurement:
    def __init__(self, path, sample, **options):
        self.times, self.refused, self.failed = [], Counter(), []
        found = modules(path)[: sample or None]
        self.contents = dict(found)
        for name, content in found:
            begin = time.process_time(), time.perf_counter()
            try:
                compile_module(name, content, **options)
            except TileCompilerTimeoutError as error:
                self.failed.append((name, reason(error)))
            except TileCompilerExecutionError as error:
                if re.search(r"the compiler (failed|crashed|ran out)|the compiler's child", str(error)):
                    self.failed.append((name, reason(error)))
                else:
                    self.refused[reason(error)] += 1
            else:
                self.times.append((time.process_time() - begin[0], time.perf_counter() - begin[1], name))

    def quantile(self, q, column):
        ordered = sorted(row[column] for row in self.times)
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else 0.0

    def report(self, path, slowest) -> bool:
        print(f"{path}: {len(self.times)} compiled, {self.refused.total()} refused, {len(self.failed)} failed")
        for column, kind in enumerate(("processor", "wall clock")):
            values = [self.quantile(q, column) for q in (0.5, 0.95, 1)]
            print(
                f"  {kind}: median {values[0] * 1e3:.1f} ms, p95 {values[1] * 1e3:.0f} ms, max {values[2] * 1e3:.0f} ms"
            )
        for seconds, _, name in sorted(self.times, reverse=True)[:slowest]:
            print(f"  {seconds * 1e3:6.0f} ms  {name}: {stages(name, self.contents[name])}")
        for what, count in self.refused.most_common(10):
            print(f"  {count} refused: {what}")
        for name, what in self.failed:
            print(f"  FAILED {name}: {what}")
        return not self.failed and self.quantile(0.5, 0) <= MEDIAN and self.quantile(0.95, 0) <= P95


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.compile_modules")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="directory or archive of modules")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many modules of each, at random")
    parser.add_argument("--slowest", type=int, default=10, metavar="N", help="show the slowest (default 10)")
    options = parser.parse_args(arguments)
    paths = options.paths or [Path(os.environ.get("TILEWRIGHT_CORPUS", ARCHIVE))]
    for path in paths:
        if not path.exists():
            parser.error(f"no modules in {path}: name a directory or an archive, or set TILEWRIGHT_CORPUS")
    # A failure is told here; its module is in the input.
    os.environ.setdefault("TILEWRIGHT_REPRODUCER_DIR", os.devnull)
    return 0 if all([Measurement(path, options.sample).report(path, options.slowest) for path in paths]) else 1


if __name__ == "__main__":
    sys.exit(main())
