# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of a kernel that docs/generate_moe.py shows: its text at a level, the lines that a statement became,
and what each pass changed."""

import re
import sys
from collections import Counter
from typing import NamedTuple

WIDTH = 118


def compile_to(module, target, emit, **options):
    from tilewright import _native

    return _native.compile_to(module, name="moe", target=target, emit=emit, packages=sys.path, **options)


def short(target):
    return target.removeprefix("nvidia:").split(":")[0]


# ---- lines of a statement in MLIR: the operation, and the operations its operands come from ----------------------


class Line(NamedTuple):
    results: tuple
    name: str
    operands: tuple
    text: str
    number: int = 0  # of the source, where the text has locations


def lines_of_locations(text):
    """The line of the source of each alias of a location; of an inlined operation, the line that it was called in."""
    aliases = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.MULTILINE))

    def line_of(alias):
        location = aliases.get(alias, "")
        inner = re.findall(r"#loc\d*", location)
        if inner:
            return line_of(inner[-1] if location.startswith("callsite") else inner[0])
        found = re.search(r'":(\d+):\d+', location)
        return int(found[1]) if found else 0

    return {alias: line_of(alias) for alias in aliases}


def mlir_lines(text):
    """The operations of a module as text, one a line; what stands between braces on other lines is an own line."""
    lines, numbers = [], lines_of_locations(text)
    for line in text.splitlines():
        match = re.match(r'\s*(?:((?:%[\w:#]+(?:, )?)+) = )?"?([a-z_]\w*(?:\.[\w.]+)?)"?(.*)', line)
        if match and match[2] not in ("module", "func.func", "entry", "cuda_tile.module"):
            results = tuple(re.findall(r"%\w+", match[1] or ""))
            place = re.search(r"loc\((#loc\d*)\)$", line)
            number = numbers.get(place[1], 0) if place else 0
            lines.append(Line(results, match[2], tuple(re.findall(r"%\w+", match[3])), line.strip(), number))
    return lines


def cut(text):
    """A line that fits on the page: without what types repeat, and with the rest left out."""
    text = re.sub(r"\s*(loc\(.*\)|!dbg !\d+|!srcloc !\d+)$", "", text.strip()).rstrip(",")
    return text if len(text) <= WIDTH else text[: WIDTH - 4].rstrip() + " ..."


# Operations that only take the registers of a value apart or put them together.
TRANSPARENT = re.compile(r"llvm\.((insert|extract)(element|value)|bitcast)")


def backward(lines, anchor, count):
    """Indices of at most `count` lines: the operation at `anchor` and what its operands are made of, nearest first."""
    places = {}  # regions beside each other may use one name
    for i, line in enumerate(lines[: anchor + 1]):
        for result in line.results:
            places.setdefault(result, []).append(i)
    chosen, seen, queue = [], set(), [anchor]
    while queue and len(chosen) < count:
        at = queue.pop(0)
        if at in seen or re.search(r"make_token|constant|poison", lines[at].name):
            continue
        seen.add(at)
        if not TRANSPARENT.fullmatch(lines[at].name):
            chosen.append(at)
        made = (max((i for i in places.get(name, ()) if i < at), default=None) for name in lines[at].operands)
        queue += sorted({i for i in made if i is not None}, reverse=True)
    return sorted(chosen)


def with_users(lines, anchor, chosen, count):
    """The chosen lines and the nearest other ones that use their results, up to `count`."""
    results = {name for i in chosen for name in lines[i].results}
    users = [i for i, line in enumerate(lines) if i not in chosen and results & set(line.operands)]
    nearest = sorted(users, key=lambda i: abs(i - anchor))
    return sorted([*chosen, *nearest[: max(0, count - len(chosen))]])


def statement_in_mlir(text, operation, number=None, least=10, most=12):
    """The lines of the last operation of that name, or of that instruction in inline assembly, which is marked.

    `number` is its line in the source, where the text has locations."""
    lines = mlir_lines(text)
    found = [
        i
        for i, line in enumerate(lines)
        if re.fullmatch(operation, line.name) or (line.name == "llvm.inline_asm" and re.search(operation, line.text))
        if number in (None, line.number)
    ]
    if not found:
        return ""
    kept = with_users(lines, found[-1], backward(lines, found[-1], most), least)
    return "\n".join(cut(lines[i].text) + ("   // <--" if i == found[-1] else "") for i in kept)


def operations(text, dialects):
    """How often each operation of the dialects stands in a text."""
    names = (line.name for line in mlir_lines(text))
    return Counter(name for name in names if name.split(".")[0] in dialects and "." in name)


def tile_operations(text):
    """Of cuda_tile, whose operations stand without their dialect."""
    return Counter(line.name for line in mlir_lines(text) if "." not in line.name)


# ---- lines of a statement in code, by the lines that it says it is from --------------------------------------------


class Instruction(NamedTuple):
    line: int  # of the file of the kernel; 0 for other files
    text: str


def llvm_instructions(text, file):
    """Of LLVM IR."""
    from tilewright._tools.levels import code

    return _instructions(code.read_llvm(text), file)


def ptx_instructions(text, file):
    """Of PTX."""
    from tilewright._tools.levels import code

    return _instructions(code.read_assembly(text), file)


def sass_instructions(text, file):
    """Of what nvdisasm prints with lines, without addresses."""
    from tilewright._tools.levels import code

    found = _instructions(code.read_sass(text), file)
    return [instruction._replace(text=instruction.text.partition("  ")[2]) for instruction in found]


def _instructions(lines, file):
    """Those that have a place, by the place that they were inlined at last."""
    places = [(line.text.strip(), line.origins[0][-1]) for line in lines if line.origins]
    return [Instruction(place.line if place.file.endswith(file) else 0, text) for text, place in places]


def statement_in_code(instructions, line, anchor, before=9, after=4):
    """The instructions of a line of the source around the first one that `anchor` matches, which is marked."""
    own = [instruction.text for instruction in instructions if instruction.line == line]
    at = next((i for i, text in enumerate(own) if re.search(anchor, text)), None)
    if at is None:
        return ""
    window = own[max(0, at - before) : at + after]
    return "\n".join(cut(text) + ("   // <--" if i == min(at, before) else "") for i, text in enumerate(window))


# ---- what each pass changed ----------------------------------------------------------------------------------------


class Pass(NamedTuple):
    scope: str
    name: str
    changes: tuple
    count: int


# As tileas.cta = #tileas.cta<warps = 4>: the name, and what is between the angle brackets.
ATTRIBUTE = r"(?<!#)\b((?:tileas|tileaa|nvvm|tilewright)\.\w+)(?: = #[\w.]+<([^<>]*)>)?"


def shape_of(text):
    """Operations by name, and attributes of functions and the module with their parameters."""
    found = Counter(line.name for line in mlir_lines(text) if "." in line.name)
    for attributes in re.findall(r"^ *(?:[\w.]*func @|module ).*attributes \{(.*)\} \{$", text, re.MULTILINE):
        for name, parameters in re.findall(ATTRIBUTE, attributes):
            found[f"{{{name}}}"] += 1
            found.update(f"{{{name}: {parameter}}}" for parameter in re.findall(r"(\w+) = ", parameters))
    return found


def passes(module, target):
    """Every pass between cuda_tile and the last dialect with what it changed, in order."""
    before = shape_of(compile_to(module, target, "cuda_tile").output.decode())
    text = compile_to(module, target, "ptx", dump_after=["all"]).dumps
    parts = re.split(r"^// -+// IR Dump After (.*?) //-+ //$", text, flags=re.MULTILINE)
    found = []
    for header, body in zip(parts[1::2], parts[2::2], strict=True):
        name = re.search(r"\(([\w-]+)\)", header)
        scope = re.search(r"\('([\w.]+)' operation", header)
        after = shape_of(body)
        difference = {
            key: after[key] - before[key] for key in after.keys() | before.keys() if after[key] != before[key]
        }
        order = sorted(difference, key=lambda key: (not key.startswith("{"), -abs(difference[key]), key))
        changes = tuple(f"{difference[key]:+d} {key}" for key in order)
        found.append(
            Pass(
                scope[1] if scope else "builtin.module",
                name[1] if name else header.split()[0],
                changes[:6],
                len(changes),
            )
        )
        before = after
    return found


def llvm_passes(module, target):
    """The names of the passes of LLVM's optimizer, in the order of their first run."""
    text = compile_to(module, target, "ptx", print_before_all=True).dumps
    return list(dict.fromkeys(re.findall(r"^; \*\*\* IR Dump Before (\S+)", text, re.MULTILINE)))


# ---- NVIDIA's tools ------------------------------------------------------------------------------------------------


def sass(module, target):
    """The text that nvdisasm makes of the cubin, with lines; empty where it or an assembler is not there."""
    from tilewright import TileError
    from tilewright._tools.levels import disassembler

    try:
        cubin = compile_to(module, target, "cubin", lineinfo=True).output
    except (TileError, RuntimeError):
        return ""
    return disassembler.disassemble(cubin)
