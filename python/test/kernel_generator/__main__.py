# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m kernel_generator`: random kernels, compiled and evaluated with NumPy, which have to agree."""

import argparse
import os
import sys
from pathlib import Path

from kernel_generator import campaign, outcome, reduction


def main() -> int:
    parser = argparse.ArgumentParser(prog="kernel_generator", description=__doc__)
    parser.add_argument("programs", nargs="*", help="seeds or files, instead of a range of seeds")
    parser.add_argument("--count", type=int, default=100, help="seeds from --first (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one for each core)")
    parser.add_argument("--target", help="cpu (default), interpreter, nvidia, or a simulated GPU such as tileas:sm_90")
    parser.add_argument("--reference", action="store_true", help="compile with NVIDIA's front end instead of ours")
    parser.add_argument("--found", type=Path, default=Path("build/fuzz/found"), help="where what fails is written")
    parser.add_argument("--print", action="store_true", help="print the programs and run none")
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--reduce", action="store_true", help="make each of PROGRAMS small and print it")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        launch = outcome.launch
        if arguments.reference:
            from kernel_generator import reference

            launch = reference.launch
        campaign.serve(launch)
        return 0
    names = [p if p.isdigit() else str(Path(p).absolute()) for p in arguments.programs]
    names = names or [str(s) for s in range(arguments.first, arguments.first + arguments.count)]
    if arguments.print:
        print(*(campaign.program_of(name).source for name in names), sep="\n", end="")
        return 0
    if arguments.target == "interpreter":
        os.environ["TILEWRIGHT_INTERPRET"] = "1"
    elif arguments.target:
        os.environ["TILEWRIGHT_TARGET"] = arguments.target
    options = ("--reference",) if arguments.reference else ()
    if arguments.reduce:
        for name in names:
            small = reduction.reduce(campaign.program_of(name), options, show_size)
            print(f"\n{small.source}", end="")
        return 0
    kinds = campaign.campaign(names, arguments.jobs, options, arguments.found.absolute(), arguments.progress)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return 0 if set(kinds) <= {outcome.AGREES, outcome.LEFT_OUT} else 1


def show_size(tried: int, size: int) -> None:
    print(f"\r{tried} programs tried, {size} characters ", end="", file=sys.stderr, flush=True)


sys.exit(main())
