# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m bench gpu --plans: whether the planner's first candidates are among the fastest that can be measured."""

import sys
import time
from dataclasses import replace

from rich import box
from rich.table import Table
from tilewright import schedule

from bench.predict import gpu, matrices, report, rows
from bench.predict.point import matching
from kernels import tables

CANDIDATES = 150  # of a search
FIRST, OTHERS = 10, 14  # candidates that are measured: the first ones, and some of the ranks behind them
AIM = 1.03  # the best of the first over the best of all that were measured


def points():
    """Works of all kinds, with tile sizes that leave the plan a choice."""
    yield matrices.gemm(4096, 4096, 4096, (128, 256, 64))
    yield matrices.gemm(4096, 4096, 4096, (64, 128, 64))
    yield matrices.gemm(2048, 2048, 2048, (128, 128, 64))
    yield matrices.gemm(1024, 1024, 1024, (128, 128, 64))
    yield matrices.gemm(1024, 1024, 8192, (128, 128, 64))
    yield matrices.gemm(1001, 1003, 1005, (128, 128, 64))
    yield matrices.gemm(2048, 2048, 2048, (64, 64, 32), "float32", tf32=True, transposed_b=True)
    yield matrices.gemm(2048, 2048, 2048, (128, 128, 128), "float8_e4m3fn", transposed_b=True, out="bfloat16",
                        sums=matrices.FAST)  # fmt: skip
    yield matrices.skinny(16, 8192, 8192, (16, 64, 128), False)
    yield matrices.attention(4, 32, 2048, 64, False, (128, 128))
    yield matrices.attention(4, 32, 4096, 128, True, (128, 64))
    yield matrices.experts(4096, 2048, 64, 6, 1408, (128, 128, 64))
    yield rows.softmax((8192, 8192), "bfloat16")
    yield rows.layer_norm((2048, 32768), "bfloat16", 4096)
    yield rows.row_sum((8192, 8192), "bfloat16")
    yield rows.cross_entropy((1024, 65536), "bfloat16", 4096)
    yield rows.silu_and_mul(8192, 8192, 4096)
    yield rows.transpose(8192, 8192, "bfloat16", (64, 64))
    yield rows.gather_rows(32768, 1024, "bfloat16", (4, 1024))


def chosen(candidates):
    """Numbers of those that are measured: the first, the compiler's own plan, and others evenly by rank."""
    own = next(number for number, each in enumerate(candidates) if not each.schedule.decisions)
    rest = range(FIRST, len(candidates))
    step = max(1, len(rest) // OTHERS)
    return sorted({own, *range(min(FIRST, len(candidates))), *rest[::step]})


def measure(torch, point, architecture, product) -> dict:
    arguments = gpu.allocate(torch, point)
    start = time.perf_counter()
    found = schedule(point.hinted()).search(point.grid, arguments, target=architecture, product=product,
                                            most=CANDIDATES)  # fmt: skip
    searched = time.perf_counter() - start
    wanted = chosen(found.candidates)
    planned = {
        number: replace(point, kernel=found.candidates[number].schedule.kernel, hints={}) if number else point
        for number in wanted
    }
    gpu.compile_all(torch, planned.values())
    measured = []
    for number, each in planned.items():
        candidate = found.candidates[number]
        try:
            seconds = gpu.measure(torch, each)
        except Exception as error:
            print(f"{point.name} {candidate.schedule.decisions}: {str(error).splitlines()[:1]}", file=sys.stderr)
            continue
        measured.append({"rank": number, "decisions": candidate.schedule.decisions, "seconds": seconds,
                         "predicted": candidate.seconds})  # fmt: skip
    return {"name": point.name, "search_seconds": searched, "candidates": len(found.candidates),
            "refused": len(found.refused), "measured": measured}  # fmt: skip


def summary(record) -> dict:
    """Ratios of measured times to that of the best of all measured."""
    best = min(each["seconds"] for each in record["measured"])
    first = min(each["seconds"] for each in record["measured"] if each["rank"] < FIRST)
    own = next((each["seconds"] for each in record["measured"] if not each["decisions"]), None)
    correlation = report.rank_correlation([each["predicted"] for each in record["measured"]],
                                          [each["seconds"] for each in record["measured"]])  # fmt: skip
    return {"first": first / best, "own": own / best if own else None, "correlation": correlation}


def show(records):
    shown = Table(box=box.SIMPLE_HEAD)
    for heading in ("work", "plans", "search s", "first ten", "own plan", "rank corr.", "best decides otherwise"):
        shown.add_column(heading, justify="left" if heading in ("work", "best decides otherwise") else "right")
    for record in records:
        told = summary(record)
        best = min(record["measured"], key=lambda each: each["seconds"])
        otherwise = ", ".join(f"{key} {value}" for key, value in best["decisions"].items())
        cells = str(record["candidates"]), f"{record['search_seconds']:.1f}", f"{told['first']:.3f}"
        own = "-" if told["own"] is None else f"{told['own']:.3f}"
        shown.add_row(record["name"], *cells, own, f"{told['correlation']:.2f}", otherwise)
    tables.show(shown)


def run(only, output, limit) -> int:
    import torch

    from bench.gpu import machine

    described = machine.describe()
    start, records = time.perf_counter(), []
    for point in matching(points(), only):
        if time.perf_counter() - start > limit:
            print(f"{point.name} and those behind it are left out after {limit} s", file=sys.stderr)
            break
        try:
            records.append(measure(torch, point, described["architecture"], described["gpu"]))
        except Exception as error:
            print(f"{point.name}: {type(error).__name__}: {str(error).splitlines()[:1]}", file=sys.stderr)
        torch.cuda.empty_cache()
        report.write(output, {"machine": described, "records": records})
    if not records:
        print("no point was measured", file=sys.stderr)
        return 1
    show(records)
    return 0 if all(summary(record)["first"] <= AIM for record in records) else 1
