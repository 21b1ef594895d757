# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""print, printf, assert, and text with tiles in it."""

from __future__ import annotations

import builtins
import json
import re
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from tilewright._frontend.arguments import require_tile
from tilewright._frontend.ir import TOKEN, MemoryAccess
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values import TileValue, describe
from tilewright.dtypes import DType
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

_CONVERSION = re.compile(r"%%|%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<length>hh|h|ll|l)?(?P<kind>.)")
_SPEC = re.compile(r"(?P<align>[<>^])?(?P<sign>[-+ ])?(?P<alt>#)?(?P<zero>0)?(?P<width>\d+)?(?P<precision>\.\d+)?"
                   r"(?P<kind>[a-zA-Z])?$")  # fmt: skip
_INTEGER_KINDS, _FLOAT_KINDS = "diouxX", "eEfFgGaA"


@dataclass(frozen=True, eq=False)
class FormattedValue:
    """`{value:spec}` of an f-string."""

    value: Any
    spec: str
    conversion: int = -1


@dataclass(frozen=True, eq=False)
class FormattedText:
    """Text and values in order; only print() can take it if a value is a tile."""

    parts: tuple[Any, ...]

    def simplified(self) -> Any:
        """A plain string if every value is known at compile time."""
        texts = []
        for part in self.parts:
            if isinstance(part, FormattedValue):
                if _has_tile(part.value):
                    return self
                value = {115: str, 114: repr, 97: ascii}.get(part.conversion, lambda v: v)(part.value)
                texts.append(format(value, part.spec))
            elif isinstance(part, str):
                texts.append(part)
            else:
                return self
        return "".join(texts)


def _has_tile(value: Any) -> bool:
    if isinstance(value, (TileValue, FormattedText)):
        return True
    if isinstance(value, tuple):
        return any(_has_tile(v) for v in value)
    return (
        is_dataclass(value)
        and not isinstance(value, type)
        and any(_has_tile(getattr(value, f.name)) for f in fields(value))
    )


def default_conversion(dtype: DType) -> str:
    if dtype.is_float:
        return "%f"
    length = "ll" if dtype.bitwidth == 64 else ""
    return f"%{length}{'d' if dtype.signed or dtype.is_bool else 'u'}"


def _conversion_of_spec(spec: str, dtype: DType) -> str:
    """A format specification of Python as a conversion of C."""
    match = _SPEC.match(spec)
    if match is None or match["align"] == "^":
        raise TileTypeError(
            f"format {spec!r} is not available in tile code; expected [<>][sign][#][0][width][.precision][kind]"
        )
    kind = match["kind"] or default_conversion(dtype)[-1]
    _check_kind(kind, dtype)
    flags = ("-" if match["align"] == "<" else "") + (match["sign"] or "").replace("-", "") + (match["alt"] or "")
    length = "ll" if dtype.bitwidth == 64 and not dtype.is_float else ""
    return f"%{flags}{match['zero'] or ''}{match['width'] or ''}{match['precision'] or ''}{length}{kind}"


def _check_kind(kind: str, dtype: DType) -> None:
    allowed = _FLOAT_KINDS if dtype.is_float else _INTEGER_KINDS
    if kind not in allowed:
        raise TileTypeError(f"conversion %{kind} of a {dtype} tile; expected one of {' '.join(allowed)}")


def _emit_print(tracer: Tracer, format: str, tiles: list[TileValue]) -> None:
    tracer.emit(
        "print_tko",
        [t.value for t in tiles],
        [TOKEN],
        {"str": json.dumps(format, ensure_ascii=False).replace("\\n", "\\0A").replace("\\t", "\\09")},
        segments=[len(tiles), 0],
        memory=MemoryAccess(None, True),
    )


@implements("printf")
def printf(tracer: Tracer, format: Any, *args: Any) -> None:
    if not isinstance(format, str):
        raise TileTypeError(f"format is a {describe(format)}; expected a compile-time string")
    tiles = [require_tile(tracer, a, "an argument of printf()") for a in args]
    conversions = [m for m in _CONVERSION.finditer(format) if m.group() != "%%"]
    if len(conversions) != len(tiles):
        raise TileTypeError(f"format has {len(conversions)} conversions for {len(tiles)} arguments")
    for match, tile in zip(conversions, tiles, strict=True):
        _check_kind(match["kind"], tile.dtype)
    _emit_print(tracer, format, tiles)


def print_values(tracer: Tracer, *args: Any, sep: Any = " ", end: Any = "\n") -> None:
    format: list[str] = []
    tiles: list[TileValue] = []

    def append(value: Any, spec: str = "") -> None:
        if isinstance(value, FormattedText):
            for part in value.parts:
                append(part.value, part.spec) if isinstance(part, FormattedValue) else append(part)
        elif isinstance(value, TileValue):
            format.append(_conversion_of_spec(spec, value.dtype) if spec else default_conversion(value.dtype))
            tiles.append(value)
        elif isinstance(value, tuple) and _has_tile(value):
            format.append("(")
            for i, item in enumerate(value):
                format.append(", " if i else "")
                append(item)
            format.append(",)" if len(value) == 1 else ")")
        elif _has_tile(value):
            format.append(type(value).__name__ + "(")
            for i, field in enumerate(fields(value)):
                format.append(f"{', ' if i else ''}{field.name}=")
                append(getattr(value, field.name))
            format.append(")")
        else:
            text = str(value) if not spec else builtins.format(value, spec)
            format.append(text.replace("%", "%%"))

    for i, arg in enumerate(args):
        if i:
            append(sep)
        append(arg)
    append(end)
    _emit_print(tracer, "".join(format), tiles)


@implements("print")
def print_(tracer: Tracer, *args: Any, sep: Any = " ", end: Any = "\n") -> None:
    print_values(tracer, *args, sep=sep, end=end)


@implements("assert_")
def assert_(tracer: Tracer, cond: Any, message: Any) -> None:
    if isinstance(cond, bool):
        if cond:
            return
        cond = require_tile(tracer, cond, "the condition")
    if not isinstance(cond, TileValue) or not cond.dtype.is_bool:
        raise TileTypeError(f"the condition of assert_() is a {describe(cond)}; expected a bool_ tile: compare it")
    if message is not None and not isinstance(message, str):
        raise TileTypeError(f"the message of assert_() is a {describe(message)}; expected a compile-time string")
    tracer.emit("assert", [cond.value], [], {"message": json.dumps(message or "", ensure_ascii=False)})
