# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that several commands share: how a model runs, and how tokens are chosen."""

import argparse
import sys
import time
from contextlib import contextmanager

from ..errors import ModelError
from ..models import Settings, open_model

SLOW = 0.5  # seconds of loading before a progress bar appears


def swap(text):
    """OPERATION=IMPLEMENTATION"""
    operation, found, implementation = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected OPERATION=IMPLEMENTATION, as attention=torch")
    return operation, implementation


def add_running(command):
    command.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    command.add_argument("--weights", metavar="FORM", help="dense, int8, int4 or fp8 (default: as they are stored)")
    command.add_argument("--dtype", help="float32, bfloat16 or float16 (default: config.json's)")
    command.add_argument("--impl", default="tilewright", metavar="NAME", help="implementation of all operations")
    command.add_argument("--op", type=swap, action="append", default=[], metavar="OPERATION=NAME",
                         help="implementation of one operation; may be repeated")  # fmt: skip
    command.add_argument("--context", type=int, metavar="N", help="most tokens of a request (default: what is needed)")
    command.add_argument("--chunk", type=int, default=512, metavar="N", help="most tokens of a step (default 512)")


def add_sampling(command):
    command.add_argument("--max-tokens", type=int, default=64, metavar="N", help="tokens to write (default 64)")
    command.add_argument("--temperature", type=float, default=0.0, help="0 (default): the most probable token")
    command.add_argument("--top-k", type=int, default=0, metavar="K", help="only the K most probable; 0: all")
    command.add_argument("--top-p", type=float, default=1.0, metavar="P", help="only the fewest that reach P")
    command.add_argument("--min-p", type=float, default=0.0, metavar="P", help="only those of P times the best")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--ignore-eos", action="store_true", help="go on after the end of the text")


def settings(options, **more) -> Settings:
    return Settings(
        device=options.device,
        weights=options.weights,
        dtype=options.dtype,
        ops=dict(options.op),
        default=options.impl,
        chunk=options.chunk,
        **more,
    )


def check_sampling(options):
    for name, low, high in (("max_tokens", 1, 1 << 31), ("temperature", 0, 1e9), ("top_p", 0, 1), ("min_p", 0, 1)):
        value = getattr(options, name)
        if not low <= value <= high:
            raise ModelError(f"--{name.replace('_', '-')} is {value}, expected {low} to {high}")


def sampling(options, config) -> dict:
    """Fields of a Request."""
    check_sampling(options)
    names = ("max_tokens", "temperature", "top_k", "top_p", "min_p", "seed")
    return {name: getattr(options, name) for name in names} | {"stop": () if options.ignore_eos else config.eos}


@contextmanager
def loading():
    """A function to call with bytes read and bytes of all: a progress bar on a terminal if loading takes long."""
    bar, start = None, time.perf_counter()

    def advance(done, total):
        nonlocal bar
        if bar is None and sys.stderr.isatty() and time.perf_counter() - start > SLOW:
            bar = progress_bar(total)
        if bar:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield advance
    finally:
        if bar:
            bar.stop()


def progress_bar(total):
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("loading weights"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=total)
    bar.start()
    return bar


def load(folder, chosen):
    """The engine of a folder, and the seconds that it took."""
    start = time.perf_counter()
    with loading() as advance:
        engine = open_model(folder, chosen, advance)
    return engine, time.perf_counter() - start
