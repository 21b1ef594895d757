# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operator that `torch.vmap` calls in the place of another: NAME_batched(size, mapped, arguments of NAME).

``mapped`` says of each argument whether it has one more axis in front, of extent ``size``. So has each result, whose
items are as far apart as their elements reach. To PyTorch it is an operator as others: it is traced as one call, and
has the gradients of the first, mapped over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from tilewright.torch.autograd import GradientRule, make_autograd_kernel
from tilewright.torch.batching import NotBatched, batch_of, run_batched
from tilewright.torch.fake import run_on_fakes, tensors_in
from tilewright.torch.vmap import make_nested_rule

if TYPE_CHECKING:
    from tilewright.torch.operator import Operator

_OWN = 2  # arguments before those of the operator


class BatchedOperator:
    def __init__(self, operator: Operator, library: torch.library.Library):
        self.operator = operator
        self.name = f"{operator.name}_batched"
        self.mutates = operator.mutates
        short = self.name.partition("::")[2]
        rest = str(operator.schema).partition("(")[2]
        library.define(f"{short}(SymInt size, bool[] mapped, {rest}", tags=(torch.Tag.pt2_compliant_tag,))
        self.overload = getattr(getattr(torch.ops, operator.name.partition("::")[0]), short).default
        self.schema = self.overload._schema
        library.impl(short, self.implementation, "CompositeExplicitAutograd")
        library.impl(short, make_autograd_kernel(self), "Autograd", with_keyset=True)
        library._register_fake(short, self._run_on_fakes)
        torch.library.register_vmap(self.name, make_nested_rule(self), lib=library)

    @property
    def gradients(self) -> _BatchedRule | None:
        rule = self.operator.gradients
        return None if rule is None else _BatchedRule(rule)

    def implementation(self, size: int, mapped: Sequence[bool], *args: Any, **kwargs: Any) -> Any:
        if size == 0:
            return self._run_on_fakes(size, mapped, *args, **kwargs)
        try:
            result = run_batched(self.operator, size, mapped, args, kwargs)
        except NotBatched:
            result = self._run_each(size, mapped, args, kwargs)
        self.operator.count_mutations(args, kwargs)
        return result

    def _run_each(self, size: int, mapped: Sequence[bool], args: tuple, kwargs: dict[str, Any]) -> Any:
        """One call for each item."""
        made: list[torch.Tensor] = []
        for index in range(size):
            items = (value[index] if of_batch else value for value, of_batch in zip(args, mapped, strict=False))
            result = self.operator.overload(*items, **kwargs)
            made = made or [batch_of(one, size) for one in tensors_in(result)]
            for into, one in zip(made, tensors_in(result), strict=True):
                into[index] = one
        return _results(made, result)

    def _run_on_fakes(self, size: int, mapped: Sequence[bool], *args: Any, **kwargs: Any) -> Any:
        """The results of a run on tensors as the items are, with the batch in front."""
        items = tuple(value.new_empty_strided(value.shape[1:], value.stride()[1:]) if of_batch else value
                      for value, of_batch in zip(args, mapped, strict=False))  # fmt: skip
        result = run_on_fakes(self.operator, items, kwargs)
        return _results([batch_of(one, size) for one in tensors_in(result)], result)


class _BatchedRule:
    """The gradients of the operator, mapped over; those of an argument that is not are added up."""

    def __init__(self, rule: GradientRule):
        self.rule = rule

    def save(self, ctx: Any, args: Sequence, results: tuple) -> None:
        self.rule.save(ctx, args[_OWN:], results, describe=False)
        ctx.mapped = args[1]

    def gradients(self, ctx: Any, grads: tuple) -> list[torch.Tensor | None]:
        not_mapped = {name for name, position in self.rule.positions.items() if not ctx.mapped[position]}

        def run(function: Callable, names: Sequence[str], values: Sequence[Any]) -> Any:
            axes = tuple(0 if isinstance(value, torch.Tensor) and name not in not_mapped else None
                         for name, value in zip(names, values, strict=True))  # fmt: skip
            return torch.vmap(function, axes)(*values)

        made = self.rule.gradients(ctx, grads, ctx.needs_input_grad[_OWN:], run)
        for name in not_mapped:
            gradient = made[self.rule.positions[name]]
            if gradient is not None:
                made[self.rule.positions[name]] = gradient.sum(0)
        return [None] * _OWN + made


def _results(made: list[torch.Tensor], like: Any) -> Any:
    """The tensors in the form that a result has."""
    if like is None:
        return None
    return made[0] if isinstance(like, torch.Tensor) else tuple(made)
