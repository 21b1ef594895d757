# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m tilewright.compat [--device cpu|cuda] SCRIPT.py [ARGUMENTS]``: the script as ``__main__``, with ours
in the place of ``cuda.tile``. ``-m MODULE`` in the place of SCRIPT.py runs a module, as Python's own ``-m`` does, and
``cutile-cache`` is the command of that name, which lists the compiled kernels that are kept."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from tilewright import __main__ as command_line
from tilewright._runtime import tracebacks
from tilewright.compat import install


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tilewright.compat", description="Run a program that imports cuda.tile with Tilewright."
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), help="default: cuda where there is a GPU, else cpu")
    parser.add_argument("--quiet", action="store_true", help="do not say what was mapped")
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is the name of a module")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    if options.script == "cutile-cache" and not options.module:
        return command_line.main(["cache", *options.arguments])
    if not options.module and not os.path.isfile(options.script):
        print(f"error: no file {options.script!r}; expected the path of a Python script", file=sys.stderr)
        return 2
    install(options.device, quiet=options.quiet)
    sys.argv = [options.script, *options.arguments]
    try:
        if options.module:
            sys.path[0] = os.getcwd()
            runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = os.path.dirname(os.path.abspath(options.script))
            runpy.run_path(options.script, run_name="__main__")
    except Exception as error:
        tracebacks.trim(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
