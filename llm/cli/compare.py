# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm compare: the time of each operation by implementation, on the sizes of a model."""

import ast
import inspect
import json
import sys
import textwrap
from pathlib import Path

import numpy as np

from .. import arrays as memory
from ..errors import ModelError, UnknownOperation
from ..ops import IMPLEMENTATIONS, OPERATIONS, find, load
from ..ops.works import make_work
from .cpp_lines import count_cpp_lines
from .launches import launches
from .plot import svg
from .roofline import measure, timed
from .table import print_table

MODELS = {"tiny-llama3": "tiny", "tiny-deepseek-v3": "tiny", "llama3-8b": "llama3-8b", "deepseek-v3": "deepseek-v3"}
BOTH = ("embedding", "rms_norm", "add_rms_norm", "linear", "linear_int8", "linear_int4", "rope", "silu_mul", "sample")
LLAMA = ("append", "attention")
DEEPSEEK = ("linear_fp8", "head_linear", "latent_append", "latent_attention", "route", "experts", "experts_fp8")


def add_options(command):
    command.add_argument("--model", choices=MODELS, default="tiny-llama3", help="sizes (default tiny-llama3)")
    command.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    command.add_argument("--dtype", default="bfloat16")
    command.add_argument("--tokens", type=int, nargs="+", default=[1, 512], metavar="N",
                         help="tokens of a step; up to 64 are of as many requests (default 1 512)")  # fmt: skip
    command.add_argument("--cached", type=int, default=512, metavar="N", help="tokens in the cache (default 512)")
    command.add_argument("--operations", nargs="+", metavar="NAME", help="default: those of the model")
    command.add_argument("--plot", type=Path, metavar="FILE", help="write a picture as SVG")
    command.add_argument("--implementations", nargs="+", metavar="NAME", help="default: those that can run here")


def operations_of(model):
    family = DEEPSEEK if "deepseek" in model else LLAMA
    return [name for name in OPERATIONS if name in BOTH + family]


def available(device):
    """Implementations whose packages are installed and that run on the device, and for the others why they do not."""
    names, reasons = [], {}
    for name in IMPLEMENTATIONS:
        try:
            devices = load(name).DEVICES
            if device in devices:
                load(name, device)
                names.append(name)
            else:
                reasons[name] = f"runs on {' and '.join(devices)} only"
        except ModelError as error:
            reasons[name] = str(error)
    return names, reasons


def count_lines(text) -> int:
    """Lines with code: no blank ones, comments and docstrings."""
    tree = ast.parse(textwrap.dedent(text))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            skipped.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(textwrap.dedent(text).splitlines(), 1)
    return sum(1 for n, line in lines if n not in skipped and line.strip() and not line.strip().startswith("#"))


def lines_in(source) -> int:
    """Of a path to C++, or of a module or function of Python."""
    return count_cpp_lines(source) if isinstance(source, Path) else count_lines(inspect.getsource(source))


def lines_of(operation, implementation, device="cpu") -> int | None:
    """Lines of an operation: those of the sources that its module names in SOURCES, else of the function itself."""
    module = load(implementation, device)
    sources = getattr(module, "SOURCES", {}).get(operation) or [inspect.unwrap(module.OPERATIONS[operation])]
    try:
        return sum(map(lines_in, sources))
    except (OSError, TypeError):
        return None


def error_of(found, expected) -> float:
    """The largest difference, relative to the root of the mean square."""
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        a, b = a.astype(np.float64), b.astype(np.float64)
        worst = max(worst, float(np.abs(a - b).max() / max(np.sqrt((b**2).mean()), 1e-30)))
    return worst


def row(operation, implementation, work, arrays, roofline):
    """One measurement; an implementation that fails is a row with its error."""
    result = {"operation": operation, "implementation": implementation, "device": arrays.name, "shape": work.shape}
    function = load(implementation, arrays.name).OPERATIONS.get(operation)
    if function is None:
        return None
    try:
        call = work.on(arrays).call(function)
        seconds = timed(call, arrays)
        kernels = launches(call, arrays) if arrays.name == "cuda" else []
        error = (
            error_of(work.results(function), work.results(find(operation, "numpy"))) if checked(arrays, work) else None
        )
    except Exception as problem:
        return result | {"error": f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]}"}
    return result | {
        "seconds": seconds,
        "roofline": roofline.seconds(work) / seconds,
        "lines": lines_of(operation, implementation, arrays.name),
        "launches": len(kernels) or None,
        "registers": max((kernel.registers for kernel in kernels), default=None),
        "max_error": error,
    }


def checked(arrays, work):
    """The plainest implementation takes minutes for large products."""
    return arrays.name == "cpu" and work.flops < 1e9 and work.bytes < 1e8


def run(options):
    for name in options.operations or ():
        if name not in OPERATIONS:
            raise UnknownOperation(f"operation is {name!r}, expected some of {', '.join(OPERATIONS)}")
    arrays = memory.device(options.device)
    names, reasons = available(options.device)
    for name in options.implementations or ():
        if name not in names:
            raise UnknownOperation(reasons.get(name) or f"implementation is {name!r}, expected {', '.join(names)}")
    roofline = measure(arrays, options.dtype)
    rows = []
    for tokens in options.tokens:
        for operation in options.operations or operations_of(options.model):
            work = make_work(
                operation, MODELS[options.model], tokens=tokens, cached=options.cached, dtype=options.dtype
            )
            for name in options.implementations or names:
                if sys.stderr.isatty():
                    print(f"\r\033[K{operation} {work.shape} {name}", end="", file=sys.stderr, flush=True)
                found = row(operation, name, work, arrays, roofline)
                if found:
                    rows.append(found | {"tokens": tokens})
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    left_out = {} if options.implementations else reasons
    notes = notes_on({found["implementation"] for found in rows}, options.device)
    if options.plot:
        options.plot.write_text(svg(rows, f"{options.model} {options.dtype} on {options.device}"))
    if options.json:
        about = {"model": options.model, "dtype": options.dtype, "cached": options.cached}
        peaks = {"bandwidth": roofline.bandwidth, "flops": roofline.flops}
        print(json.dumps(about | {"peaks": peaks, "rows": rows, "left_out": left_out, "notes": notes}, indent=2))
    else:
        show(rows, roofline, left_out, notes)
    return 1 if any("error" in found for found in rows) else 0


def notes_on(implementations, device):
    """Lines about times on the device, by implementation."""
    found = {name: getattr(load(name, device), "NOTES", {}).get(device) for name in sorted(implementations)}
    return {name: note for name, note in found.items() if note}


def show(rows, roofline, left_out, notes):
    peaks = f"{roofline.bandwidth / 1e9:.1f} GB/s, {roofline.flops / 1e9:.0f} GFLOP/s"
    headings = ["time", "of roofline", "lines", "max error"]
    on_gpu = any(found.get("launches") for found in rows)
    headings += ["launches", "registers"] if on_gpu else []
    lines = []
    for found in rows:
        names = found["operation"], found["shape"], found["implementation"]
        if "error" in found:
            lines.append((*names, "failed"))
            continue
        error = "" if found["max_error"] is None else f"{found['max_error']:.0e}"
        numbers = f"{found['seconds'] * 1e6:.0f} µs", f"{found['roofline']:.2f}", str(found["lines"] or ""), error
        on_device = (str(found["launches"] or ""), str(found["registers"] or "")) if on_gpu else ()
        lines.append((*names, *numbers, *on_device))
    caption = f"roofline: as measured here, {peaks}"
    print_table(("operation", "shape", "implementation"), headings, lines, caption, width=160)
    for found in rows:
        if "error" in found:
            print(f"{found['operation']} {found['implementation']}: {found['error']}")
    for name, note in notes.items():
        print(f"{name}: {note}")
    for name, reason in left_out.items():
        print(f"without {name}: {reason}")
