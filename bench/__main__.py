# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m bench cpu|gpu [--json] [--only TEXT] [--rounds N]: exit status 1 if a floor is missed."""

import argparse
import json
import sys
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from tilewright import TileDeviceError

from bench.scaling import THREADS, set_threads, thread_counts, with_threads
from kernels import peer, tables

CHOICES = Path(__file__).parent / "gpu" / "choices.json"


def measure(row, rounds) -> dict:
    result = {"work": row.work, "ratio": None, "floor": row.floor, "against": row.against}
    try:
        measured = row.measure(rounds)
    except Exception as exception:
        first_line = str(exception).partition("\n")[0]
        return {**result, "seen": f"{type(exception).__name__}: {first_line}"}
    result |= {"ratio": round(measured.ratio, 3), "seen": measured.seen}
    return result if measured.details is None else {**result, "details": measured.details}


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


def cpu_rows(options):
    """The rows, for each number of threads if several are asked for."""
    if options.foreign:
        from bench.foreign import foreign_rows as rows
    else:
        from bench.cpu import rows

    peer.keep_memory()
    set_threads(THREADS)
    if options.threads:
        return (with_threads(row, count) for count in options.threads for row in rows()), {}
    return rows(), {}


def gpu_rows(options):
    """The rows, and what they are measured on."""
    from bench.gpu import choices, cutile, foreign_rows, machine, rows

    if not peer.torch.cuda.is_available():
        raise TileDeviceError("PyTorch, whose libraries the rows are compared with, is a build without CUDA")
    if options.foreign and cutile.absent():
        raise TileDeviceError("cuda.tile is not installed, under which kernels of others are compiled")
    if cutile.absent():
        print(cutile.absent(), file=sys.stderr)
    if options.search and options.choices.exists():
        options.choices.unlink()
    choices.use(options.choices, machine.gpu())
    return (foreign_rows() if options.foreign else rows()), machine.describe()


def run_predictions(options) -> int:
    from bench.predict.run import run

    return run(options.target, options.only, options.output, options.recorded, options.limit)


TARGETS = {"cpu": (cpu_rows, 9), "gpu": (gpu_rows, 3)}


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure what the project promises.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--json", action="store_true", help="print the rows as JSON instead of a table; of a GPU"
                        " with the machine")  # fmt: skip
    parser.add_argument("--only", default="", metavar="TEXT", help="only works whose name contains TEXT; or TEXT|TEXT")
    parser.add_argument("--rounds", type=int, metavar="N", help="times that each side runs (default cpu 9, gpu 3)")
    parser.add_argument("--choices", type=Path, default=CHOICES, metavar="FILE",
                        help="where the tile sizes found for a GPU are remembered (default %(default)s)")  # fmt: skip
    parser.add_argument("--search", action="store_true", help="forget them and search again")
    parser.add_argument("--foreign", action="store_true", help="kernels in the style of users of cuda.tile; on a CPU"
                        " against PyTorch, on a GPU our tileiras against NVIDIA's under its front end")  # fmt: skip
    parser.add_argument("--threads", type=thread_counts, metavar="LIST", help="of a CPU: the rows with each of these"
                        " numbers of threads, as 1,2,all (default 2)")  # fmt: skip
    parser.add_argument("--predict", action="store_true", help="compare the compiler's predicted times with measured"
                        " ones, over many launches")  # fmt: skip
    parser.add_argument("--plans", action="store_true", help="of a GPU: compare the first candidates of the planner's"
                        " search with others")  # fmt: skip
    parser.add_argument("--output", type=Path, metavar="FILE", help="of --predict and --plans: all points as JSON")
    parser.add_argument("--recorded", type=Path, metavar="FILE", help="of --predict: such a file, whose measured times"
                        " are taken; needs neither the GPU nor the CPU of them")  # fmt: skip
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="of --predict and --plans:"
                        " for measuring (default %(default)s)")  # fmt: skip
    options = parser.parse_args(arguments)
    if options.predict:
        return run_predictions(options)
    if options.plans:
        from bench.predict import plans

        return plans.run(options.only, options.output, options.limit)
    if peer.torch is None:
        parser.error("PyTorch is missing; ./dev bench installs it")

    prepare, rounds = TARGETS[options.target]
    try:
        all_rows, machine = prepare(options)
    except TileDeviceError as error:
        print(f"nothing to measure: {error}", file=sys.stderr)
        return 1
    wanted = options.only.lower().split("|")
    chosen = [row for row in all_rows if any(text in row.work.lower() for text in wanted)]
    progress = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results = []
    with Progress(*progress, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(chosen))
        for row in chosen:
            bar.update(task, description=f"{row.work} to {row.against}")
            results.append(measure(row, options.rounds or rounds))
            bar.advance(task)

    if options.json:
        print(json.dumps({"machine": machine, "rows": results} if machine else results, indent=2))
    else:
        tables.show(table(results))
    return 0 if all(map(holds, results)) else 1


if __name__ == "__main__":
    sys.exit(main())
