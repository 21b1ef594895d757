# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels on real-sized inputs, each checked against NumPy in f64 and timed: python -m kernels.demo [--json].

Where PyTorch is importable, its time for the same work is measured in turns with ours.
"""

import argparse
import json
import sys

import numpy as np
from ml_dtypes import bfloat16
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from kernels import peer, tables
from kernels.attention.bench import attention_work
from kernels.block_scaled_linear.bench import block_scaled_linear_work
from kernels.cross_entropy.bench import cross_entropy_work
from kernels.cumsum.bench import cumsum_work
from kernels.expert_routing.bench import expert_routing_work
from kernels.fft.bench import fft_work
from kernels.fused_moe.bench import experts_fp8_work, experts_work, fused_moe_work, moe_work
from kernels.gather_rows.bench import gather_rows_work
from kernels.gemm.bench import gemm_work
from kernels.head_linear.bench import head_linear_work
from kernels.layer_norm.bench import layer_norm_work
from kernels.paged_attention.bench import decode_work
from kernels.quantized_linear.bench import int4_work, int8_work
from kernels.rms_norm.bench import rms_norm_work
from kernels.row_reduce.bench import row_argmax_work, row_max_work, row_sum_work
from kernels.sampling.bench import sampling_work
from kernels.softmax.bench import softmax_work
from kernels.timing import alternate
from kernels.transpose.bench import transpose_work
from kernels.vector_add.bench import vector_add_work

WORKS = [
    lambda: vector_add_work(1 << 24),
    lambda: gemm_work(1024, 1024, 1024, np.float32),
    lambda: gemm_work(1000, 1333, 777, np.float32),
    lambda: gemm_work(1024, 1024, 1024, np.float16),
    lambda: gemm_work(1024, 1024, 1024, bfloat16),
    lambda: gemm_work(1024, 1024, 1024, np.int8),
    lambda: softmax_work(4096, 4096),
    lambda: rms_norm_work(4096, 4096),
    lambda: layer_norm_work(4096, 4096),
    lambda: row_sum_work(4096, 4096),
    lambda: row_max_work(4096, 4096),
    lambda: row_argmax_work(4096, 4096),
    lambda: cumsum_work(4096, 4096),
    lambda: cross_entropy_work(4096, 4096),
    lambda: transpose_work(4096, 4096),
    lambda: gather_rows_work(4096, 4096),
    lambda: fft_work(512, 4096),
    lambda: attention_work(8, 2048, 64, np.float32),
    lambda: attention_work(8, 2048, 64, bfloat16, kv_heads=2),
    lambda: decode_work(4, 4096, 32, 8, 128, bfloat16),
    lambda: head_linear_work(64, 128, 512, 128, bfloat16),
    lambda: int8_work(1, 4096, 14336),
    lambda: int4_work(1, 4096, 14336),
    lambda: block_scaled_linear_work(1, 7168, 2048, bfloat16),
    lambda: sampling_work(16, 128256),
    lambda: expert_routing_work(4096),
    lambda: fused_moe_work(512, 1024, 16, 2, 2048),
    lambda: moe_work(512, 1024, 16, 2, 1024),
    lambda: experts_work(1, 2048, 16, 6, 1408, bfloat16),
    lambda: experts_work(512, 1024, 16, 2, 1024),
    lambda: experts_fp8_work(1, 2048, 16, 6, 1408, bfloat16),
    lambda: experts_fp8_work(64, 1024, 16, 2, 1024),
]


def measure(work) -> dict:
    """One row of the result. The check comes first, so that its failure is about a single launch."""
    work.run()
    reference = work.reference()
    error = reference.error(work.result)
    sides = [work.run] + ([work.torch] if work.torch else [])
    ours, *theirs = alternate(sides, rounds=9, seconds=1.5)
    return {
        "kernel": work.kernel,
        "shape": work.shape,
        "dtype": work.dtype,
        "ms": ours * 1e3,
        "rate": work.rate(ours),
        "unit": work.unit,
        "max_error": error if np.isfinite(error) else None,
        "bound": reference.bound,
        "ok": error <= reference.bound,
        "ratio_to_torch": theirs[0] / ours if theirs else None,
    }


def failed(work, exception) -> dict:
    """The row of a work that raised: its name, and the reason why there is no result."""
    row = dict.fromkeys(("ms", "rate", "max_error", "bound", "ratio_to_torch"))
    about = dict(kernel=work.kernel, shape=work.shape, dtype=work.dtype, unit=work.unit)
    return {**about, **row, "ok": False, "error": f"{type(exception).__name__}: {exception}"}


def table(rows) -> Table:
    result = Table(box=box.SIMPLE_HEAD, caption="max error and bound: relative to the magnitude that went in")
    for heading in ("kernel", "shape", "dtype"):
        result.add_column(heading, no_wrap=True)
    for heading in ("time", "rate", "max error", "bound", "ok", "to PyTorch"):
        result.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        if row["ms"] is None:
            result.add_row(row["kernel"], row["shape"], row["dtype"], "-", "-", "-", "-", "[red]no", "-")
            continue
        ratio = row["ratio_to_torch"]
        result.add_row(
            row["kernel"],
            row["shape"],
            row["dtype"],
            f"{row['ms']:.2f} ms",
            f"{row['rate']:.1f} {row['unit']}",
            "not finite" if row["max_error"] is None else f"{row['max_error']:.1e}",
            f"{row['bound']:.1e}",
            "[green]yes" if row["ok"] else "[red]no",
            "no PyTorch" if ratio is None else f"{ratio:.2f}x",
        )
    return result


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m kernels.demo", description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print an array of objects instead of a table")
    parser.add_argument("--only", default="", metavar="TEXT", help="only works whose name contains TEXT")
    options = parser.parse_args(arguments)

    peer.keep_memory()
    progress = Console(stderr=True)
    rows = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=progress, transient=True) as bar:
        task = bar.add_task("", total=len(WORKS))
        for make in WORKS:
            work = make()
            if options.only in work.name:
                bar.update(task, description=work.name)
                try:
                    rows.append(measure(work))
                except Exception as exception:
                    rows.append(failed(work, exception))
            bar.advance(task)

    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        tables.show(table(rows))
    for row in rows:
        if "error" in row:
            progress.print(f"{row['kernel']} {row['dtype']} {row['shape']}: {row['error']}", markup=False)
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
