# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text with tiles in it: results of f-strings, str(), repr() and print()."""

from __future__ import annotations

import builtins
import dataclasses
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright._frontend.values.kinds import BoundMethod, TileValue, describe, is_number
from tilewright._frontend.values.records import is_record, method_of
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


@dataclass(frozen=True, eq=False)
class FormattedValue:
    """`{tile:spec}` of an f-string."""

    tile: TileValue
    spec: str = ""


@dataclass(frozen=True, eq=False)
class FormattedText:
    """Text and tiles in order; only print() takes it."""

    parts: tuple[str | FormattedValue, ...]

    def __add__(self, other: Any) -> Any:
        return joined([self, other]) if isinstance(other, (str, FormattedText)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined([other, self]) if isinstance(other, str) else NotImplemented


def joined(texts: list[str | FormattedText]) -> str | FormattedText:
    """One text after the other; a string if there is no tile in it."""
    parts: list[str | FormattedValue] = []
    for text in texts:
        for part in (text,) if isinstance(text, str) else text.parts:
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
    if all(isinstance(part, str) for part in parts):
        return "".join(parts)  # type: ignore[arg-type]
    return FormattedText(tuple(parts))


def formatted(tracer: Tracer, value: Any, spec: str) -> str | FormattedText:
    """`{value:spec}`"""
    if isinstance(value, TileValue):
        return FormattedText((FormattedValue(value, spec),))
    if spec and not is_number(value):
        raise TileTypeError(f"format {spec!r} of a {describe(value)}; expected a number: write it without a format")
    try:
        return builtins.format(value, spec) if spec else text_of(tracer, value)
    except ValueError as error:
        raise TileTypeError(f"format {spec!r} of a {describe(value)}: {error}") from None


def text_of(tracer: Tracer, value: Any) -> str | FormattedText:
    """str(value)"""
    if isinstance(value, (str, FormattedText)):
        return value
    if isinstance(value, TileValue) or type(value) is tuple:
        return representation(tracer, value)
    if not is_record(value):
        return str(value)
    method = method_of(value, "__str__")
    return representation(tracer, value) if method is None else _by_method(tracer, value, method)


def representation(tracer: Tracer, value: Any) -> str | FormattedText:
    """repr(value)"""
    if isinstance(value, FormattedText):
        return _quoted(value)
    if isinstance(value, TileValue):
        return str(value.constant) if value.constant is not None else FormattedText((FormattedValue(value),))
    if type(value) is tuple:
        texts: list[str | FormattedText] = []
        for item in value:
            texts += [", " if texts else "(", representation(tracer, item)]
        return joined([*(texts or ["("]), ",)" if len(value) == 1 else ")"])
    if not is_record(value):
        return repr(value)
    method = method_of(value, "__repr__")
    if method is not None:
        return _by_method(tracer, value, method)
    name = type(value).__qualname__
    if type(value).__repr__ is object.__repr__:
        return f"<{name} object>"
    texts = []
    for field in dataclasses.fields(value):
        if field.repr:
            texts += [f"{', ' if texts else ''}{field.name}=", representation(tracer, getattr(value, field.name))]
    return joined([f"{name}(", *texts, ")"])


def _by_method(tracer: Tracer, value: Any, method: Any) -> str | FormattedText:
    result = tracer.call(BoundMethod(value, inspect.unwrap(method)), (), {})
    if not isinstance(result, (str, FormattedText)):
        raise TileTypeError(f"{method.__qualname__}() returns a {describe(result)}; expected a string")
    return result


def _quoted(text: FormattedText) -> str | FormattedText:
    literal = "".join(part for part in text.parts if isinstance(part, str))
    quote = '"' if "'" in literal and '"' not in literal else "'"
    other = "'" if quote == '"' else '"'
    # With a quote of the other kind in it, repr() takes this one.
    parts = [repr(other + part)[1:-1].removeprefix("\\").removeprefix(other) if isinstance(part, str) else
             FormattedText((part,)) for part in text.parts]  # fmt: skip
    return joined([quote, *parts, quote])
