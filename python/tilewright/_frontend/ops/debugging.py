# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""print, printf and assert."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilewright._frontend.ir.program import MemoryAccess
from tilewright._frontend.ir.types import TOKEN
from tilewright._frontend.ops.registry import implements
from tilewright._frontend.values.arguments import require_tile
from tilewright._frontend.values.kinds import TileValue, describe
from tilewright._frontend.values.text import FormattedText, joined, text_of
from tilewright.dtypes import DType
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer

_CONVERSION = re.compile(r"%%|%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d+)?(?P<length>hh|h|ll|l)?(?P<kind>.)")
_SPEC = re.compile(r"(?P<align>[<>^])?(?P<sign>[-+ ])?(?P<alt>#)?(?P<zero>0)?(?P<width>\d+)?(?P<precision>\.\d+)?"
                   r"(?P<kind>[a-zA-Z])?$")  # fmt: skip
_INTEGER_KINDS, _FLOAT_KINDS = "diouxX", "eEfFgGaA"


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
        {"str": format},
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
    for value, what in ((sep, "sep"), (end, "end")):
        if not isinstance(value, (str, FormattedText)):
            raise TileTypeError(f"{what} is a {describe(value)}; expected a string")
    texts: list[str | FormattedText] = []
    for arg in args:
        texts += [sep, text_of(tracer, arg)] if texts else [text_of(tracer, arg)]
    text = joined([*texts, end])
    format: list[str] = []
    tiles: list[TileValue] = []
    for part in (text,) if isinstance(text, str) else text.parts:
        if isinstance(part, str):
            format.append(part.replace("%", "%%"))
            continue
        dtype = part.tile.dtype
        format.append(_conversion_of_spec(part.spec, dtype) if part.spec else default_conversion(dtype))
        tiles.append(part.tile)
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
    tracer.emit("assert", [cond.value], [], {"message": message or ""})
