# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs of this folder and prints a table: name, right or wrong, largest error, seconds.

``python -m kernels.foreign [--front-end nvidia|tilewright] [--device cpu|cuda] [--tileiras PATH] [NAME ...]``; the exit
status is 1 if any is wrong. With NVIDIA's front end the programs run on a GPU, compiled by its assembler or by
``--tileiras``."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

PROGRAMS = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py") if not path.stem.startswith("test_"))


def error_of(actual: Any, expected: Any) -> float:
    """The largest difference of elements, relative to 1 + abs(expected)."""
    import torch

    if actual.shape != expected.shape:
        raise AssertionError(f"shape {tuple(actual.shape)}, expected {tuple(expected.shape)}")
    actual, expected = actual.detach().to(torch.float64), expected.detach().to(torch.float64)
    same = (actual == expected) | (actual.isnan() & expected.isnan())
    errors = torch.where(same, 0.0, (actual - expected).abs() / (1 + expected.abs()))
    largest = float(errors.max()) if errors.numel() else 0.0
    return float("inf") if largest != largest else largest


def run_program(name: str) -> tuple[bool, float, list[str]]:
    """Whether all of a program is right, its largest error, and what to say about it."""
    right, largest, notes = True, 0.0, []
    try:
        for what, actual, expected, tolerance in importlib.import_module(f"kernels.foreign.{name}").check():
            error = error_of(actual, expected)
            largest = max(largest, error)
            if not error <= tolerance:
                right = False
                notes.append(f"{what}: error {error:.3g}, expected at most {tolerance:g}")
    except Exception:
        return False, float("nan"), [*notes, traceback.format_exc()]
    return right, largest, notes


def compile_for_gpus(architectures: list[str]) -> Any:
    """Each specialization that Tilewright compiles from now on is also compiled to PTX; returns the list of errors."""
    from tilewright import _native
    from tilewright._frontend.compile import compile_to_module
    from tilewright._frontend.signature import Signature
    from tilewright._runtime import dispatch

    compile_kernel = dispatch.compile_kernel
    errors: list[str] = []

    def compile_for_all(kernel: Any, specs: tuple, *args: Any, **kwargs: Any) -> Any:
        bytecode = compile_to_module(kernel, Signature(specs)).module.bytecode("")
        for architecture in architectures:
            try:
                _native.compile_to(bytecode, kernel.__name__, f"nvidia:{architecture}", "ptx", time_limit=60)
            except Exception as error:
                errors.append(f"{kernel.__name__} for {architecture}: {error}")
        return compile_kernel(kernel, specs, *args, **kwargs)

    dispatch.compile_kernel = compile_for_all
    return errors


def choose_front_end(options: argparse.Namespace) -> None:
    if options.front_end == "tilewright":
        from tilewright.compat import install

        install(options.device)
        return
    if options.device == "cpu":
        sys.exit("error: NVIDIA's front end has no CPU; expected --device cuda")
    if options.tileiras:
        os.environ["CUDA_TILE_CACHE_DIR"] = "off"  # it may have code of another assembler
        from cuda.tile import _compile

        compiler = os.path.abspath(options.tileiras)
        _compile._find_pip_tileiras = lambda: compiler


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m kernels.foreign", description=__doc__.split("\n")[0])
    parser.add_argument("--front-end", choices=("nvidia", "tilewright"), default="tilewright")
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where there is a GPU, else cpu")
    parser.add_argument("--tileiras", metavar="PATH", help="the assembler that NVIDIA's front end calls")
    parser.add_argument("--ptx", metavar="ARCHITECTURES", help="compile all kernels to PTX, too: sm_80,sm_90")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}; default: all")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in PROGRAMS]:
        parser.error(f"no program {unknown[0]!r}; expected one of {', '.join(PROGRAMS)}")
    choose_front_end(options)
    gpu_errors = compile_for_gpus(options.ptx.split(",")) if options.ptx else []
    wrong = 0
    names = options.names or PROGRAMS
    for name in names:
        start = time.perf_counter()
        gpu_errors.clear()
        right, largest, notes = run_program(name)
        right, notes = right and not gpu_errors, notes + gpu_errors
        seconds = time.perf_counter() - start
        print(f"{name:24} {'right' if right else 'WRONG':6} {largest:10.2e} {seconds:8.2f} s", flush=True)
        for note in notes:
            print("  " + note.replace("\n", "\n  "), flush=True)
        wrong += not right
    print(f"{len(names) - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
