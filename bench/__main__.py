# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m bench cpu [--json] [--only TEXT] [--rounds N]: exit status 1 if a floor is missed."""

import argparse
import json
import sys

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.cpu import rows
from bench.scaling import THREADS, set_threads
from kernels import peer


def measure(row, rounds) -> dict:
    result = {"work": row.work, "ratio": None, "floor": row.floor, "against": row.against}
    try:
        ratio, seen = row.measure(rounds)
    except Exception as exception:
        first_line = str(exception).partition("\n")[0]
        return {**result, "seen": f"{type(exception).__name__}: {first_line}"}
    return {**result, "ratio": round(ratio, 3), "seen": seen}


def holds(result) -> bool:
    return result["ratio"] is not None and (result["floor"] is None or result["ratio"] >= result["floor"])


def table(results) -> Table:
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("work", no_wrap=True)
    for heading in ("ratio", "floor"):
        shown.add_column(heading, justify="right", no_wrap=True)
    shown.add_column("against", no_wrap=True)
    shown.add_column("seen")
    for result in results:
        ratio = "-" if result["ratio"] is None else f"{result['ratio']:.2f}"
        color = "green" if holds(result) else "red"
        floor = "" if result["floor"] is None else f"{result['floor']:.2f}"
        shown.add_row(result["work"], f"[{color}]{ratio}", floor, result["against"], result["seen"])
    return shown


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure what the project promises.")
    parser.add_argument("target", choices=["cpu"])
    parser.add_argument("--json", action="store_true", help="print an array of objects instead of a table")
    parser.add_argument("--only", default="", metavar="TEXT", help="only works whose name contains TEXT")
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="times that each side runs (default 9)")
    options = parser.parse_args(arguments)
    if peer.torch is None:
        parser.error("PyTorch is missing; ./dev bench installs it")

    peer.keep_memory()
    set_threads(THREADS)
    chosen = [row for row in rows() if options.only.lower() in row.work.lower()]
    progress = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results = []
    with Progress(*progress, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(chosen))
        for row in chosen:
            bar.update(task, description=f"{row.work} to {row.against}")
            results.append(measure(row, options.rounds))
            bar.advance(task)

    if options.json:
        print(json.dumps(results, indent=2))
    else:
        Console(width=None if sys.stdout.isatty() else 140).print(table(results))
    return 0 if all(map(holds, results)) else 1


if __name__ == "__main__":
    sys.exit(main())
