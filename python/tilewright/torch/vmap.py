# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators under `torch.vmap`: by another operator that takes one more axis, or by their own over a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from tilewright.errors import OperatorError

if TYPE_CHECKING:
    from tilewright.torch.batched import BatchedOperator
    from tilewright.torch.operator import Operator


def make_batching_rule(operator: Operator) -> Callable:
    """The rule as `torch.library.register_vmap` takes it: results and their batched axes."""

    def rule(info: Any, in_dims: tuple, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        for argument, value, axis in zip(operator.schema.arguments, args, in_dims, strict=False):
            if argument.name in operator.mutates and axis is None:
                raise OperatorError(
                    f"{operator.name} mutates '{argument.name}', which vmap does not map over while it does other"
                    " arguments; expand it first"
                )
            if isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
                raise OperatorError(f"{operator.name} takes a list of tensors, which vmap cannot map over")
        size = info.batch_size
        mapped = [isinstance(axis, int) for axis in in_dims]  # lists of numbers have a list of None
        moved = [value.movedim(axis, 0) if of_batch else value
                 for value, axis, of_batch in zip(args, in_dims, mapped, strict=True)]  # fmt: skip
        mapped += [False] * (len(operator.schema.arguments) - len(mapped))  # arguments that have their defaults
        if operator.batched is None:
            return _with_axes(operator.over_batch.overload(size, mapped, *moved, **kwargs))
        expanded = [value.expand(size, *value.shape) if isinstance(value, torch.Tensor) and not of_batch else value
                    for value, of_batch in zip(moved, mapped, strict=False)]  # fmt: skip
        return _with_axes(operator.batched(*expanded, **kwargs))

    return rule


def make_nested_rule(operator: BatchedOperator) -> Callable:
    """The rule for an operator over a batch: a call for each index."""

    def rule(info: Any, in_dims: tuple, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        results = []
        for index in range(info.batch_size):
            of_index = (value if not isinstance(axis, int) else value.select(axis, index)
                        for value, axis in zip(args, in_dims, strict=True))  # fmt: skip
            results.append(operator.overload(*of_index, **kwargs))
        if results[0] is None or isinstance(results[0], torch.Tensor):
            return _with_axes(None if results[0] is None else torch.stack(results))
        return _with_axes(tuple(map(torch.stack, zip(*results, strict=True))))

    return rule


def _with_axes(result: Any) -> tuple[Any, Any]:
    """Results whose first axis is the one that is mapped over."""
    if result is None:
        return None, None
    if isinstance(result, torch.Tensor):
        return result, 0
    return tuple(result), (0,) * len(result)
