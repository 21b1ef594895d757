# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks the functions of the language that the compiler implements. Their Python bodies are empty: signature and
docstring are the specification, and the front end finds the implementation by name."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

from tilewright.errors import TileHostCallError

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

# The front end's tracer while it evaluates Python at compile time (static_eval, operators of tiles).
active_tracer: contextvars.ContextVar[Any] = contextvars.ContextVar("active_tracer", default=None)


class Intrinsic:
    """The description of a marked function that a call needs: its public name and how its arguments bind."""

    def __init__(self, function: Callable[..., Any], host: Callable[..., Any] | None):
        self.name = function.__qualname__
        self.signature = inspect.signature(function)
        self.host = host

    @functools.cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...] | None:
        """Its parameters in order; None if it takes any number of arguments."""
        parameters = tuple(self.signature.parameters.values())
        return None if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) else parameters


@overload
def intrinsic(function: F) -> F: ...


@overload
def intrinsic(*, host: Callable[..., Any]) -> Callable[[F], F]: ...


def intrinsic(function: Any = None, *, host: Callable[..., Any] | None = None) -> Any:
    """Mark `function` as implemented by the compiler; `host` is what a call outside of tile code runs, if anything."""
    if function is None:
        return functools.partial(intrinsic, host=host)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        tracer = active_tracer.get()
        if tracer is not None:
            return tracer.call_intrinsic(wrapper.__tilewright_intrinsic__, args, kwargs)  # type: ignore[attr-defined]
        if host is not None:
            return host(*args, **kwargs)
        raise TileHostCallError(
            f"{function.__qualname__}() works in tile code only: call it from a function marked with @tilewright.kernel"
        )

    wrapper.__tilewright_intrinsic__ = Intrinsic(function, host)  # type: ignore[attr-defined]
    return wrapper


class tile_attribute(Generic[T]):
    """An attribute that values have in tile code; the decorated method is its specification. The front end's values set
    attributes of their own, which this one, unlike a property, lets them."""

    def __init__(self, method: Callable[[Any], T]):
        self.__doc__ = method.__doc__
        self.__name__ = method.__name__
        self.__annotations__ = method.__annotations__

    def __set_name__(self, owner: type, name: str) -> None:
        self.__qualname__ = f"{owner.__name__}.{name}"

    @overload
    def __get__(self, value: None, owner: type) -> tile_attribute[T]: ...

    @overload
    def __get__(self, value: object, owner: type) -> T: ...

    def __get__(self, value: Any, owner: type) -> Any:
        if value is None:
            return self
        raise AttributeError(f"{self.__qualname__} is known in tile code only")


def get_intrinsic(function: Any) -> Intrinsic | None:
    """The record of a function marked with `intrinsic`, else None."""
    return getattr(function, "__tilewright_intrinsic__", None) if callable(function) else None
