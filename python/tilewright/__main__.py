# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `tilewright`: compile a module or a kernel of a Python file to any level; read, write and run Tile IR."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._runtime import cache_listing, environment
from tilewright.errors import TileCheckError, TileError
from tilewright.limits import time_limit

_ARG_HELP = (
    "the next parameter: a number; for a pointer FILE.npy, FILE.npz:NAME, zeros:16x32, arange:16x32 or random:16x32; "
    "with tensor: before an array its extents and strides fill the parameters behind the pointer"
)
_OUT_HELP = "where arrays go after the launch: N=FILE.npy for that of the Nth --arg, from 0, or FILE.npz for all"

_SIGNATURE_HELP = "argument types of a Python kernel, as in 'float32[:,::1]@16, int32, 128'"
_TARGET_HELP = "cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3, cpu:x86-64-v4, or nvidia:sm_90 and the like"
_ASSEMBLER_HELP = "ptxas or libnvJitLink that makes a cubin"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tilewright", description="Tilewright, a tile compiler")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], bytes], help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help)
        made.set_defaults(run=run)
        kernel = " or file.py:kernel" if name in ("compile", "explain") else ""
        made.add_argument("input", help=f"bytecode or text of a module, or - for standard input{kernel}")
        made.add_argument("-o", "--output", default="-", help="output file, - for the terminal")
        return made

    dis = command("dis", _disassemble, "print Tile IR as text")
    dis.add_argument("-g", dest="debug_info", action="store_true", help="print locations")
    as_ = command("as", _assemble, "write Tile IR as bytecode")
    as_.add_argument("--bytecode-version", default="", metavar="VERSION", help="as in 13.3; default: the newest")
    info = command("info", _describe, "say what a file of Tile IR has in it")
    info.add_argument("--json", action="store_true", help="print JSON")

    explain = command("explain", _explain, "say what was decided for each kernel, and what its code uses")
    explain.add_argument("--signature", help=_SIGNATURE_HELP)
    explain.add_argument("--target", default="cpu", help=_TARGET_HELP)
    explain.add_argument("--assembler", default="", metavar="FILE", help=_ASSEMBLER_HELP)

    run = commands.add_parser("run", help="launch an entry of a module with arguments from files")
    run.set_defaults(run=_run, output="-")
    run.add_argument("input", help="bytecode or text of a module, or - for standard input")
    run.add_argument("--entry", metavar="NAME", help="the entry to launch; may be left out if there is one only")
    run.add_argument("--grid", default="1", metavar="X,Y,Z", help="number of tile blocks; default: one")
    run.add_argument("--arg", dest="args", action="append", default=[], metavar="ARG", help=_ARG_HELP)
    run.add_argument("--out", action="append", default=[], metavar="OUT", help=_OUT_HELP)
    run.add_argument("--interpret", action="store_true", help="in the reference interpreter, without any compilation")
    run.add_argument(
        "--check", action="store_true", help="interpret and report what the program may not do; then exit status 3"
    )
    run.add_argument("--debug", action="store_true", help="interpret and stop before the first line, as pdb does")
    run.add_argument("--step-limit", type=int, default=0, metavar="N", help="operations the interpreter may execute")
    run.add_argument("--target", help="what to compile for; default: this machine's CPU")
    run.add_argument(
        "--level",
        choices=["tileas"],
        help="run what the threads of a GPU would do, on the host: the plan for the --target, which needs no GPU",
    )
    run.add_argument(
        "--schedules",
        type=int,
        default=0,
        metavar="N",
        help="of a plan: all orders of its pipelines' steps, or so many at random if there are more; default 1",
    )
    run.add_argument("--seed", type=int, default=0, metavar="N", help="of a plan: which orders")

    debug = commands.add_parser("debug", help="run a Python file with its kernels in the debugger")
    debug.set_defaults(run=_debug, output="-")
    debug.add_argument("script", help="the Python file")
    debug.add_argument("arguments", nargs=argparse.REMAINDER, help="what follows it in sys.argv")

    cache_listing.add_parser(commands)

    prefix = commands.add_parser(
        "prefix", help="print the folder for CMAKE_PREFIX_PATH, with the library's C interface"
    )
    prefix.set_defaults(run=_prefix, output="-")

    compile_ = command("compile", _compile, "compile a module or a kernel")
    compile_.add_argument("--signature", help=_SIGNATURE_HELP)
    compile_.add_argument("--target", default="cpu", help=_TARGET_HELP)
    levels = "; ".join(f"{name}: {summary}" for name, summary in _native.levels())
    names = [name for name, _ in _native.levels()]
    compile_.add_argument("--emit", choices=names, help=levels + "; default: obj or cubin")
    compile_.add_argument("--plan", metavar="FILE", help="decide otherwise, as --emit=plan prints it")
    compile_.add_argument(
        "--dump-after", default="", metavar="PASS", help="print the module after these passes, or after all"
    )
    compile_.add_argument(
        "--print-before-all", action="store_true", help="print the module before every pass, also of LLVM's optimizer"
    )
    compile_.add_argument("--timing", action="store_true", help="print where the time went")
    compile_.add_argument("--opt-level", type=int, default=1, choices=range(4), help="level of LLVM's optimizer")
    compile_.add_argument(
        "--time-limit", type=_seconds, metavar="SECONDS", help="that compiling may take, 0 for as long as it likes"
    )
    compile_.add_argument("--lineinfo", action="store_true", help="code of nvidia says which lines it is from")
    compile_.add_argument("-g", dest="debug", action="store_true", help="code of nvidia is for a debugger")
    compile_.add_argument("--assembler", default="", metavar="FILE", help=_ASSEMBLER_HELP)
    compile_.add_argument("--resources", action="store_true", help="print what each kernel of a cubin uses")
    compile_.add_argument("--remarks", action="store_true", help="print what the optimizer says of its decisions")
    compile_.add_argument("--fail-in", default="", help=argparse.SUPPRESS)
    return parser


def _prefix(options: argparse.Namespace) -> bytes:
    """Of a wheel the package, of a checkout its default build."""
    package = Path(__file__).parent
    for folder in (package, package.parents[1] / "build"):
        if (folder / "cmake/TilewrightConfig.cmake").is_file():
            return f"{folder}\n".encode()
    raise SystemExit(f"tilewright: neither {package} nor a build beside it has cmake/TilewrightConfig.cmake")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds <= 1e6:
        raise argparse.ArgumentTypeError(f"found {text}, expected seconds from 0 to 1e6")
    return seconds


def _load_kernel(path: str, name: str) -> Any:
    """The kernel of that name in a Python file."""
    from tilewright.kernel import kernel

    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or not Path(path).is_file():
        raise SystemExit(f"tilewright: cannot read {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(Path(path).parent))
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not isinstance(found, kernel):
        names = [key for key, value in vars(module).items() if isinstance(value, kernel)]
        raise SystemExit(f"tilewright: {path} has no kernel {name!r}, expected one of {', '.join(names) or '(none)'}")
    return found


def _read(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()


def _name(path: str) -> str:
    return "<stdin>" if path == "-" else path


def _disassemble(options: argparse.Namespace) -> bytes:
    return _native.disassemble(_read(options.input), _name(options.input), options.debug_info)


def _assemble(options: argparse.Namespace) -> bytes:
    return _native.assemble(_read(options.input), _name(options.input), options.bytecode_version)


def _describe(options: argparse.Namespace) -> bytes:
    return _native.describe_file(_read(options.input), _name(options.input), options.json)


def _read_module(options: argparse.Namespace) -> Any:
    path, colon, name = options.input.rpartition(":")
    if not (colon and path.endswith(".py")):
        return _read(options.input)
    from tilewright._frontend.compile import compile_to_module
    from tilewright._frontend.signature import Signature
    from tilewright._runtime.signature_text import parse_signature

    kernel = _load_kernel(path, name)
    if options.signature is None:
        raise SystemExit("tilewright: a Python kernel needs --signature, as in 'float32[:,::1]@16, int32, 128'")
    return compile_to_module(kernel, Signature(parse_signature(options.signature, kernel.parameters))).module


def _compile(options: argparse.Namespace) -> bytes:
    made = _native.compile_to(
        _read_module(options),
        name=_name(options.input),
        target=options.target,
        emit=options.emit or "",
        opt_level=options.opt_level,
        plan=Path(options.plan).read_text() if options.plan else "",
        plan_name=options.plan or "",
        dump_after=[name for name in options.dump_after.split(",") if name],
        print_before_all=options.print_before_all,
        timing=options.timing,
        time_limit=time_limit() if options.time_limit is None else options.time_limit,
        fail_in=options.fail_in,
        line_info=options.lineinfo,
        debug=options.debug,
        assembler=options.assembler,
        packages=sys.path,
        remarks=options.remarks,
    )
    sys.stderr.write(
        made.dumps + made.remarks + made.timing + made.optimizations + (made.resources if options.resources else "")
    )
    options.header = made.header
    return made.output


def _explain(options: argparse.Namespace) -> bytes:
    text = _native.explain(
        _read_module(options),
        name=_name(options.input),
        target=options.target,
        assembler=options.assembler,
        packages=sys.path,
        time_limit=time_limit(),
    )
    return text.encode()


def _run(options: argparse.Namespace) -> bytes:
    from tilewright._runtime import dispatch, run_module
    from tilewright.debug import Debugger
    from tilewright.tile_module import load_module

    module: Any
    if options.level:
        module = run_module.load_plans(_read(options.input), _name(options.input), options.target or "")
    else:
        module = load_module(sys.stdin.buffer.read() if options.input == "-" else options.input)
    kernel = run_module.choose_kernel(module, options.entry)
    grid = run_module.read_grid(options.grid)
    arguments = run_module.read_arguments(kernel, options.args)
    interpret = options.interpret or options.check or options.debug
    executable = kernel.compile(dispatch.INTERPRETER if interpret else options.target)
    with Debugger() if options.debug else contextlib.nullcontext():
        note = executable.run(
            grid,
            arguments.values,
            step_limit=options.step_limit,
            check=options.check,
            arrays=run_module.describe_arrays(arguments),
            schedules=options.schedules,
            seed=options.seed,
        )
    sys.stderr.write(note)
    return run_module.write_results(arguments, options.out).encode()


def _debug(options: argparse.Namespace) -> bytes:
    from tilewright.debug import run_script

    raise SystemExit(run_script(options.script, options.arguments))


def _write(output: bytes, options: argparse.Namespace) -> None:
    path = Path(options.output)
    if getattr(options, "emit", None) == "so":
        if options.output == "-":
            raise SystemExit("tilewright: a shared library cannot go to the terminal, give -o FILE")
        _native.link_shared(output, options.output)
    elif options.output == "-":
        sys.stdout.buffer.write(output)
        return
    else:
        path.write_bytes(output)
    if getattr(options, "header", "") and path.suffix:  # not beside a device such as /dev/null
        path.with_suffix(".h").write_text(options.header)


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        environment.check()
        _write(options.run(options), options)
    except TileCheckError as error:
        print(error, end="", file=sys.stderr)
        return 3
    except (TileError, ValueError, OSError) as error:
        text = str(error)
        print(text if ": error: " in text else f"tilewright: {text}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("tilewright: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
