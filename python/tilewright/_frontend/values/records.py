# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen dataclasses: which ones tile code takes, and which of their methods the program wrote."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    pass

_GENERATED = "<string>"  # the file of functions that `dataclasses` makes


def is_record(value: Any) -> bool:
    """Whether a value is an object of a dataclass that the program defines."""
    cls = type(value)
    return dataclasses.is_dataclass(cls) and not cls.__module__.startswith("tilewright.")


@functools.cache
def check_record_class(cls: type) -> inspect.Signature | None:
    """The parameters of its constructor, None if that is the program's own; an error if tile code has no such class."""
    what = f"dataclass {cls.__name__}"
    if "__dataclass_params__" not in vars(cls):
        raise TileTypeError(f"class {cls.__name__} inherits from a dataclass but is none; mark it with @dataclass, too")
    if not cls.__dataclass_params__.frozen:
        raise TileTypeError(f"{what} is mutable; tile code takes @dataclass(frozen=True)")
    if cls.__new__ is not object.__new__:
        raise TileTypeError(f"{what} has a __new__ of its own; expected none: use __post_init__()")
    for field in dataclasses.fields(cls):
        if field.default_factory is not dataclasses.MISSING:
            raise TileTypeError(f"field {field.name!r} of {what} has a default_factory; expected a default value")
        if not field.init:
            raise TileTypeError(f"field {field.name!r} of {what} has init=False; expected a field that is given")
    if not cls.__dataclass_params__.init or not is_generated(cls.__init__):
        return None
    return inspect.signature(cls.__init__)


def is_generated(method: Any) -> bool:
    """Whether `dataclasses` made a method."""
    return getattr(getattr(inspect.unwrap(method), "__code__", None), "co_filename", None) == _GENERATED


def method_of(value: Any, name: str) -> Callable[..., Any] | None:
    """A method that the program wrote; nothing that `object` or `dataclasses` provides."""
    method = getattr(type(value), name, None)
    if method is None or method is getattr(object, name, None) or is_generated(method):
        return None
    return method
