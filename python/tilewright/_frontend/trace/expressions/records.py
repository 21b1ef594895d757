# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses in tile code: what their constructor, replace(), attributes and items mean."""

from __future__ import annotations

import dataclasses
import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.trace.calls.binding import bind
from tilewright._frontend.values.kinds import BoundMethod, describe
from tilewright._frontend.values.records import check_record_class, is_record, method_of
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace.tracer import Tracer


def make_record(tracer: Tracer, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    signature = check_record_class(cls)
    if signature is None:
        raise TileTypeError(f"dataclass {cls.__name__} has an __init__ of its own; expected none: use __post_init__()")
    given = bind(signature, cls.__name__, (None, *args), kwargs)
    result = object.__new__(cls)
    for field in dataclasses.fields(cls):
        object.__setattr__(result, field.name, given[field.name])
    if method_of(result, "__post_init__") is not None:
        tracer.call(BoundMethod(result, cls.__post_init__), (), {})
    return result


def replace_fields(tracer: Tracer, value: Any, kwargs: dict[str, Any]) -> Any:
    """dataclasses.replace()"""
    if not is_record(value):
        raise TileTypeError(f"replace() takes a dataclass, found a {describe(value)}")
    fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    for name in kwargs:
        if name not in fields:
            raise TileTypeError(f"dataclass {type(value).__name__} has no field {name!r}; it has {', '.join(fields)}")
    return make_record(tracer, type(value), (), fields | kwargs)


def set_item(tracer: Tracer, value: Any, index: Any, item: Any) -> bool:
    """value[index] = item by the method of a dataclass, if there is one."""
    method = method_of(value, "__setitem__") if is_record(value) else None
    if method is None:
        return False
    tracer.call(BoundMethod(value, method), (index, item), {})
    return True


def record_attribute(tracer: Tracer, value: Any, name: str) -> Any:
    check_record_class(type(value))
    member = inspect.getattr_static(value, name, None)
    if isinstance(member, property):
        return tracer.call(BoundMethod(value, member.fget), (), {})
    if isinstance(member, FunctionType):
        return BoundMethod(value, member)
    try:
        return getattr(value, name)
    except AttributeError:
        fields = ", ".join(f.name for f in dataclasses.fields(value))
        raise TileTypeError(f"dataclass {type(value).__name__} has no attribute {name!r}; it has {fields}") from None
