# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `tilewright`: compile a module or a kernel of a Python file to any level; read, write and run Tile IR."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tilewright import _native
from tilewright._runtime import cache_listing, environment
from tilewright.errors import TileCheckError, TileError
from tilewright.limits import time_limit

_RANKED_ROWS = 10  # of a search among plans


def _option_type(option: Any) -> Callable[[str], Any]:
    """A reader of the option's text, with the table's word on what is wrong with it."""

    def read(text: str) -> Any:
        try:
            return option.read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """The options that a command has in the table (src/options/Table.cpp). One that is not given is None, if the
    environment may have it, or has its initial value."""
    for option in (option for option in _native.options() if command in option.visibility):
        dashes = [f"-{option.letter}"] * bool(option.letter)
        dashes.append(f"--{option.name}" if len(option.name) > 1 else f"-{option.name}")
        details: dict[str, Any] = {"help": argparse.SUPPRESS if option.is_hidden else _help(option)}
        if option.is_flag:
            details |= {"action": "store_true"}
        elif option.is_repeated:
            details |= {"action": "append", "default": [], "metavar": option.placeholder}
        else:
            details |= {"type": _option_type(option), "metavar": option.placeholder or None}
            details |= {"default": None if option.variable else option.initial}
        parser.add_argument(*dashes, **details)


def _help(option: Any) -> str:
    default = "" if option.is_flag or not option.shown_initial else f"; default: {option.shown_initial}"
    return (option.meaning + default).replace("`", "").replace("%", "%%")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tilewright", description="Tilewright, a tile compiler")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, run: Callable[[argparse.Namespace], bytes], help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help)
        made.set_defaults(run=run, output="-")
        _add_options(made, name)
        return made

    def module_command(name: str, run: Callable[[argparse.Namespace], bytes], help: str) -> argparse.ArgumentParser:
        made = command(name, run, help)
        kernel = " or file.py:kernel" if name in ("compile", "explain", "trace") else ""
        made.add_argument("input", help=f"bytecode or text of a module, or - for standard input{kernel}")
        return made

    module_command("dis", _disassemble, "print Tile IR as text")
    module_command("as", _assemble, "write Tile IR as bytecode")
    module_command("info", _describe, "say what a file of Tile IR has in it")
    module_command("explain", _explain, "report the decisions for each kernel, its resources, and the time of a launch")
    module_command("trace", _trace, "write a page in HTML with all levels of a kernel, from its source to assembly")
    plan = command("plan", _plan, "print the decisions for each kernel as a plan file, or compare two such files")
    plan.add_argument("inputs", nargs="+", help="bytecode or text of a module, - for standard input, or file.py:kernel;"
                      " or diff and two files")  # fmt: skip
    profile = command("profile", _profile, "measure when and where the tile blocks of launches run")
    profile.add_argument("input", help="file.py:kernel, or a Python file whose launches are recorded")
    profile.epilog = "What follows -- is for that file, in sys.argv."
    module_command("run", _run, "launch an entry of a module with arguments from files")

    debug = command("debug", _debug, "run a Python file with its kernels in the debugger")
    debug.add_argument("script", help="the Python file")
    debug.add_argument("arguments", nargs=argparse.REMAINDER, help="what follows it in sys.argv")

    cache_listing.add_parser(commands, _add_options)

    command("prefix", _prefix, "print the folder for CMAKE_PREFIX_PATH, with the library's C interface")

    check = command("check", _check, "report the errors of all kernels of Python files whose types are known")
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a Python file, of which only definitions are run, or a folder with some",
    )

    command("doctor", _doctor, "say what this machine and its software can do, and why not more")

    command("lsp", _serve_editor, "serve editors over the standard streams: errors, types and Tile IR while typing")

    levels = "\n".join(f"  {name:<10} {summary}" for name, summary in _native.levels())
    compile_ = module_command("compile", _compile, "compile a module or a kernel")
    compile_.formatter_class = argparse.RawDescriptionHelpFormatter
    compile_.epilog = f"levels:\n{levels}"
    return parser


def _prefix(options: argparse.Namespace) -> bytes:
    """Of a wheel the package, of a checkout its default build."""
    package = Path(__file__).parent
    for folder in (package, package.parents[1] / "build"):
        if (folder / "cmake/TilewrightConfig.cmake").is_file():
            return f"{folder}\n".encode()
    raise SystemExit(f"tilewright: neither {package} nor a build beside it has cmake/TilewrightConfig.cmake")


def _check(options: argparse.Namespace) -> bytes:
    from tilewright._tools import check

    return check.run(options)


def _serve_editor(options: argparse.Namespace) -> bytes:
    from tilewright._tools import lsp

    return lsp.run(options)


def _trace(options: argparse.Namespace) -> bytes:
    from tilewright._tools import trace

    path, colon, _ = options.input.rpartition(":")
    name = path if colon and path.endswith(".py") else _name(options.input)
    launch: list[_Described] = []

    def read_module() -> Any:
        launch.append(_describe_launch(options))
        return launch[0].module

    def explain(module: Any) -> str:
        return _explained(options, replace(launch[0], module=module)).json()

    return trace.run(options, trace.Compiler(name, options.target, _settings(options), explain), read_module)


def _profile(options: argparse.Namespace) -> bytes:
    from tilewright._tools import profile

    return profile.run(options, _load_kernel)


def _doctor(options: argparse.Namespace) -> bytes:
    from tilewright._tools import doctor

    return doctor.run(options)


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
    return _native.disassemble(_read(options.input), _name(options.input), options.g)


def _assemble(options: argparse.Namespace) -> bytes:
    return _native.assemble(_read(options.input), _name(options.input), options.bytecode_version or "")


def _describe(options: argparse.Namespace) -> bytes:
    return _native.describe_file(_read(options.input), _name(options.input), options.json)


def _kernel_of(options: argparse.Namespace) -> Any:
    """The kernel of a Python file that the input names; None for a module."""
    path, colon, name = options.input.rpartition(":")
    return _load_kernel(path, name) if colon and path.endswith(".py") else None


def _specs_of(options: argparse.Namespace, kernel: Any) -> tuple | None:
    from tilewright._runtime.signature_text import parse_signature

    return parse_signature(options.signature, kernel.parameters) if options.signature is not None else None


def _read_module(options: argparse.Namespace) -> Any:
    return _module_of(options, _kernel_of(options))


def _module_of(options: argparse.Namespace, kernel: Any) -> Any:
    if kernel is None:
        return _read(options.input)
    from tilewright._runtime.launch_facts import compile_facts

    specs = _specs_of(options, kernel)
    if specs is None:
        raise SystemExit("tilewright: a Python kernel needs --signature, as in 'float32[:,::1]@16, int32, 128'")
    return compile_facts(kernel, specs).module


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    """Keywords for the compiler: the options that are given or have an initial value, but those that are the command's
    own."""
    names = (option.name.replace("-", "_") for option in _native.options() if options.command in option.visibility)
    own = {"output", "signature", "target", "emit", "grid", "arg", "entry", "product", "threads", "json", "search"}
    given = {name: getattr(options, name) for name in names if name not in own}
    given = {name: value for name, value in given.items() if value is not None}
    return {"time_limit": time_limit(), "packages": sys.path} | given


def _compile(options: argparse.Namespace) -> bytes:
    made = _native.compile_to(
        _read_module(options), _name(options.input), options.target, options.emit or "", **_settings(options)
    )
    sys.stderr.write(
        made.dumps + made.remarks + made.timing + made.optimizations + (made.resources if options.resources else "")
    )
    options.header = made.header
    return made.output


@dataclass(frozen=True)
class _Described:
    """A module, and for a kernel in Python the values of the entry's parameters where --arg has its arguments."""

    module: Any
    values: list[int | None] | None


def _describe_launch(options: argparse.Namespace) -> _Described:
    """Without --signature the arguments are the signature of a kernel in Python."""
    kernel = _kernel_of(options)
    if kernel is None or not options.arg:
        return _Described(_module_of(options, kernel), None)
    from tilewright._runtime.launch_facts import compile_facts, entry_values, read_facts

    facts = read_facts(kernel, options.arg, _specs_of(options, kernel))
    compiled = compile_facts(kernel, facts.specs)
    return _Described(compiled.module, entry_values(kernel, compiled, facts))


def _explained(options: argparse.Namespace, launch: _Described) -> Any:
    """With the predicted time, where the options have a launch."""
    explanation = _native.explain(launch.module, _name(options.input), options.target, **_settings(options))
    device = {"product": options.product or "", "threads": options.threads or 0}
    if launch.values is None:
        explanation.predict_arguments(options.grid or "", options.arg, options.entry or "", **device)
    elif options.grid:
        explanation.predict_values(_native.parse_grid(options.grid), launch.values, **device)
    return explanation


def _explain(options: argparse.Namespace) -> bytes:
    launch = _describe_launch(options)
    explanation = _explained(options, launch)
    if options.search:
        _search_plans(options, launch).add_runners_up(explanation)
    return (explanation.json() if options.json else explanation.text()).encode()


def _plan(options: argparse.Namespace) -> bytes:
    if len(options.inputs) == 3 and options.inputs[0] == "diff":
        left, right = options.inputs[1:]
        text = _native.compare_plans(_read(left).decode(), _name(left), _read(right).decode(), _name(right))
        options.status = int(bool(text))  # as of diff
        return text.encode()
    if len(options.inputs) != 1:
        raise SystemExit(f"tilewright: found {len(options.inputs)} arguments, expected a module or kernel, or diff and"
                         " two plans")  # fmt: skip
    options.input = options.inputs[0]
    if options.grid and not options.search:
        raise SystemExit("tilewright: --grid and --arg describe the launch of a search, expected --search=N")
    if options.search:
        return _search(options)
    made = _native.compile_to(_read_module(options), _name(options.input), options.target, "plan", **_settings(options))
    return made.output


def _search_plans(options: argparse.Namespace, launch: _Described) -> Any:
    if not options.grid:
        raise SystemExit("tilewright: --search needs the launch whose time is predicted, expected --grid and an --arg"
                         " for each parameter")  # fmt: skip
    what = launch.module, _name(options.input), options.target
    common = options.product or "", options.search
    if launch.values is None:
        return _native.search_plans_of(*what, options.grid, options.arg, options.entry or "", *common,
                                       **_settings(options))  # fmt: skip
    return _native.search_plans(*what, _native.parse_grid(options.grid), launch.values, *common, **_settings(options))


def _search(options: argparse.Namespace) -> bytes:
    """The plan that is predicted to be the fastest; the ranking is for people, beside it."""
    found = _search_plans(options, _describe_launch(options))
    if options.json:
        return (found.json() + "\n").encode()
    sys.stderr.write(found.ranking(_RANKED_ROWS))
    return found.fastest().encode()


def _run(options: argparse.Namespace) -> bytes:
    from tilewright._runtime import dispatch, run_module
    from tilewright.debug import Debugger
    from tilewright.tile_module import load_module

    module: Any
    if options.level:
        module = run_module.load_simulated(_read(options.input), _name(options.input), options.target or "")
    else:
        module = load_module(sys.stdin.buffer.read() if options.input == "-" else options.input)
    kernel = run_module.choose_kernel(module, options.entry)
    grid = _native.parse_grid(options.grid)
    arguments = run_module.read_arguments(kernel, options.arg)
    interpret = options.interpret or options.check or options.debug
    executable = kernel.compile(dispatch.INTERPRETER if interpret else options.target)
    with Debugger() if options.debug else contextlib.nullcontext():
        note = executable.run(
            grid,
            arguments.values,
            step_limit=options.step_limit or 0,
            check=options.check,
            arrays=run_module.describe_arrays(arguments),
            schedules=options.schedules or 0,
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
    words = sys.argv[1:] if arguments is None else arguments
    own = words.index("--") if words[:1] == ["profile"] and "--" in words else len(words)
    options = _parser().parse_args(words[:own])
    options.rest = words[own + 1 :]
    try:
        if options.command != "doctor":  # which reports them
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
    return getattr(options, "status", 0)


if __name__ == "__main__":
    sys.exit(main())
