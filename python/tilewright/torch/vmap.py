# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators under `torch.vmap`: by another operator that takes one more axis, by kernels over a batch, or by one call
for each index."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from tilewright.torch.batching import NotBatched, run_batched
from tilewright.torch.errors import OperatorError

if TYPE_CHECKING:
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
        if operator.batched is not None:
            result = _by_rule(operator, info.batch_size, in_dims, args, kwargs)
        else:
            try:
                result = run_batched(operator, info.batch_size, in_dims, args, kwargs)
            except NotBatched:
                result = _one_by_one(operator, info.batch_size, in_dims, args, kwargs)
        if result is None:
            return None, None
        return result, (0,) * len(result) if isinstance(result, tuple) else 0

    return rule


def _by_rule(operator: Operator, size: int, in_dims: tuple, args: tuple, kwargs: dict[str, Any]) -> Any:
    def batched(value: Any, axis: int | None) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.expand(size, *value.shape) if axis is None else value.movedim(axis, 0)

    result = operator.batched(*map(batched, args, in_dims), **kwargs)
    return tuple(result) if isinstance(result, list) else result


def _one_by_one(operator: Operator, size: int, in_dims: tuple, args: tuple, kwargs: dict[str, Any]) -> Any:
    if size == 0:
        raise OperatorError(
            f"{operator.name} has no rule for vmap over an axis of extent 0; register_vmap gives it one"
        )
    results = []
    for index in range(size):
        of_index = (value if axis is None else value.select(axis, index)
                    for value, axis in zip(args, in_dims, strict=True))  # fmt: skip
        results.append(operator(*of_index, **kwargs))
    if isinstance(results[0], torch.Tensor):
        return torch.stack(results)
    return None if results[0] is None else tuple(map(torch.stack, zip(*results, strict=True)))
