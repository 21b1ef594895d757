# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen dataclasses in tile code: their methods are tile code, what `dataclasses` generates is done here."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any

from tilewright._frontend.values import BoundMethod, describe
from tilewright.errors import TileTypeError

if TYPE_CHECKING:
    from tilewright._frontend.trace import Tracer

_GENERATED = "<string>"  # the file of functions that `dataclasses` makes
_REFLECTED = {
    "add": "radd", "sub": "rsub", "mul": "rmul", "matmul": "rmatmul", "truediv": "rtruediv",
    "floordiv": "rfloordiv", "mod": "rmod", "divmod": "rdivmod", "pow": "rpow", "lshift": "rlshift",
    "rshift": "rrshift", "and": "rand", "xor": "rxor", "or": "ror",
}  # fmt: skip
_COMPARISONS = {
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip


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
    if not cls.__dataclass_params__.init or not _is_generated(cls.__init__):
        return None
    return inspect.signature(cls.__init__)


def _is_generated(method: Any) -> bool:
    return getattr(getattr(inspect.unwrap(method), "__code__", None), "co_filename", None) == _GENERATED


def method_of(value: Any, name: str) -> Callable[..., Any] | None:
    """A method that the program wrote; nothing that `object` or `dataclasses` provides."""
    method = getattr(type(value), name, None)
    if method is None or method is getattr(object, name, None) or _is_generated(method):
        return None
    return method


class RecordTracer:
    def make_record(self: Tracer, cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        signature = check_record_class(cls)
        if signature is None:
            raise TileTypeError(
                f"dataclass {cls.__name__} has an __init__ of its own; expected none: use __post_init__()"
            )
        given = self.bind(signature, cls.__name__, (None, *args), kwargs)
        result = object.__new__(cls)
        for field in dataclasses.fields(cls):
            object.__setattr__(result, field.name, given[field.name])
        if method_of(result, "__post_init__") is not None:
            self.call(BoundMethod(result, cls.__post_init__), (), {})
        return result

    def replace_fields(self: Tracer, value: Any, kwargs: dict[str, Any]) -> Any:
        """dataclasses.replace()"""
        if not is_record(value):
            raise TileTypeError(f"replace() takes a dataclass, found a {describe(value)}")
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        for name in kwargs:
            if name not in fields:
                raise TileTypeError(
                    f"dataclass {type(value).__name__} has no field {name!r}; it has {', '.join(fields)}"
                )
        return self.make_record(type(value), (), fields | kwargs)

    def record_operator(self: Tracer, name: str, x: Any, y: Any) -> Any:
        """x + y and the like, of which one is a dataclass, by the methods of Python."""
        name = name.removeprefix("bitwise_")
        for value, other, method_name in ((x, y, name), (y, x, _REFLECTED.get(name, name))):
            method = method_of(value, f"__{method_name}__") if is_record(value) else None
            if method is not None:
                result = self.call(BoundMethod(value, method), (other,), {})
                if result is not NotImplemented:
                    return result
        raise TileTypeError(
            f"a {describe(x)} and a {describe(y)} have no operator for this; expected a method __{name}__"
        )

    def compare_records(self: Tracer, name: str, x: Any, y: Any) -> Any:
        short = _COMPARISONS[name]
        if is_record(x):
            cls, generated = type(x), "__eq__" if short == "ne" else f"__{short}__"
            method = method_of(x, f"__{short}__")
            if method is not None:
                result = self.call(BoundMethod(x, method), (y,), {})
                if result is not NotImplemented:
                    return result
            elif short == "ne" and method_of(x, "__eq__") is not None:
                return self.truth_not(self.compare_records("equal", x, y))
            elif _is_generated(getattr(cls, generated)):
                if type(y) is cls:
                    return self._compare_fields(name, self._values(x), self._values(y))
                if short in ("eq", "ne"):
                    return short == "ne"
        raise TileTypeError(f"cannot compare a {describe(x)} with a {describe(y)}; expected a method __{short}__")

    def _values(self, value: Any) -> list[Any]:
        return [getattr(value, f.name) for f in dataclasses.fields(value) if f.compare]

    def _compare_fields(self: Tracer, name: str, x: list[Any], y: list[Any]) -> Any:
        """As tuples: equal if all are, less if the first that differs is less."""
        pairs = list(zip(x, y, strict=True))
        if name in ("equal", "not_equal"):
            same: Any = True
            for a, b in pairs:
                same = self.both(same, self.compare_values("equal", a, b))
            return same if name == "equal" else self.truth_not(same)
        result: Any = name.endswith("_equal")
        for a, b in reversed(pairs):
            differs = self.compare_values(name.removesuffix("_equal"), a, b)
            result = self.either(differs, self.both(self.compare_values("equal", a, b), result))
        return result

    def set_item(self: Tracer, value: Any, index: Any, item: Any) -> bool:
        """value[index] = item by the method of a dataclass, if there is one."""
        method = method_of(value, "__setitem__") if is_record(value) else None
        if method is None:
            return False
        self.call(BoundMethod(value, method), (index, item), {})
        return True

    def record_attribute(self: Tracer, value: Any, name: str) -> Any:
        check_record_class(type(value))
        member = inspect.getattr_static(value, name, None)
        if isinstance(member, property):
            return self.call(BoundMethod(value, member.fget), (), {})
        if isinstance(member, FunctionType):
            return BoundMethod(value, member)
        try:
            return getattr(value, name)
        except AttributeError:
            fields = ", ".join(f.name for f in dataclasses.fields(value))
            raise TileTypeError(
                f"dataclass {type(value).__name__} has no attribute {name!r}; it has {fields}"
            ) from None
