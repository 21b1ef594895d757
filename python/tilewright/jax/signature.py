# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The annotations of an operator's function, and the arguments of a call by them: arrays, and what is known when JAX
traces."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

import jax

from tilewright.jax.known import Known

_LISTS = (list, tuple, Sequence, collections.abc.Sequence)
_ONE = jax.tree.structure(0)  # the tree of one array
_UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))


Structure = tuple[Any, ...]
"""Of each parameter the tree that its arrays were, or a `Known`."""


class Signature:
    """ValueError for a function whose annotations do not say which arguments and results are arrays."""

    def __init__(self, operator: str, function: Callable):
        self.operator = operator
        self._signature = inspect.signature(function)
        kinds = typing.get_type_hints(function)
        self.arrays: list[str] = []
        """Of one array, or of None in its place."""
        self.lists: list[str] = []
        for name, parameter in self._signature.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise ValueError(f"{operator}: the parameter '{name}' takes any number of arguments")
            if name not in kinds:
                raise ValueError(f"{operator}: the parameter '{name}' has no annotation")
            if _is_array(kinds[name]):
                self.arrays.append(name)
            elif typing.get_origin(kinds[name]) in _LISTS and any(map(_is_array, typing.get_args(kinds[name]))):
                self.lists.append(name)
        if "return" not in kinds:
            raise ValueError(f"{operator}: the result has no annotation")
        self.num_results = self._count(kinds["return"])
        self.parameters = tuple(self._signature.parameters)
        has_keywords = any(each.kind == each.KEYWORD_ONLY for each in self._signature.parameters.values())
        self._num_positional = None if has_keywords else len(self.parameters)

    def _count(self, kind: Any) -> int:
        if kind in (None, type(None)):
            return 0
        if _is_array(kind):
            return 1
        items = typing.get_args(kind)
        if typing.get_origin(kind) is tuple and items and all(map(_is_array, items)):
            return len(items)
        raise ValueError(f"{self.operator}: the result is annotated {kind!r}, expected None, jax.Array or a tuple of"
                         " so many")  # fmt: skip

    def flatten(self, args: tuple, kwargs: dict[str, Any]) -> tuple[list[Any], Structure]:
        """The arrays of a call, and all else of it. TypeError for a number that JAX traces where it has to be known."""
        leaves: list[Any] = []
        structure = []
        for name, value in self._bind(args, kwargs).items():
            if isinstance(value, jax.Array) and name in self.arrays:
                leaves.append(value)
                structure.append(_ONE)
            elif name in self.arrays or name in self.lists:
                found, tree = jax.tree.flatten(value)
                leaves += found
                structure.append(tree)
            elif isinstance(value, jax.core.Tracer):
                raise TypeError(f"{self.operator}: '{name}' is a value that JAX traces, but no array by its annotation;"
                                " a kernel takes numbers that are known then (static_argnames of jax.jit)")  # fmt: skip
            else:
                try:
                    structure.append(Known(value))
                except TypeError:
                    raise TypeError(f"{self.operator}: '{name}' is an unhashable {type(value).__name__}") from None
        return leaves, tuple(structure)

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, with defaults."""
        if len(args) == self._num_positional and not kwargs:
            return dict(zip(self.parameters, args, strict=True))  # binding is a third of the time of a call
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def unflatten(self, leaves: Sequence[Any], structure: Structure) -> dict[str, Any]:
        """The arguments by name, with `leaves` in the place of arrays."""
        arguments, next_leaf = {}, iter(leaves)
        for name, part in zip(self.parameters, structure, strict=True):
            if isinstance(part, Known):
                arguments[name] = part.value
            else:
                arguments[name] = jax.tree.unflatten(part, [next(next_leaf) for _ in range(part.num_leaves)])
        return arguments

    def places(self, structure: Structure) -> dict[str, range]:
        """Which leaves each parameter has."""
        places, start = {}, 0
        for name, part in zip(self.parameters, structure, strict=True):
            count = 0 if isinstance(part, Known) else part.num_leaves
            places[name] = range(start, start + count)
            start += count
        return places

    def call(self, function: Callable, arguments: dict[str, Any]) -> Any:
        """The function with arguments by name."""
        bound = inspect.BoundArguments(self._signature, arguments)  # type: ignore[arg-type]
        return function(*bound.args, **bound.kwargs)


def _is_array(kind: Any) -> bool:
    if typing.get_origin(kind) in _UNIONS:
        return any(map(_is_array, typing.get_args(kind)))
    return isinstance(kind, type) and issubclass(kind, jax.Array)
