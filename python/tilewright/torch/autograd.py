# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of operators: the rule that other such functions make, and the kernel for PyTorch's key Autograd."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import torch
from torch import _C
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd.function import _SingleLevelFunction

from tilewright._operators.gradients import Gradients
from tilewright._runtime.tracebacks import boundary
from tilewright.errors import OperatorError

if TYPE_CHECKING:
    from tilewright.torch.batched import BatchedOperator
    from tilewright.torch.operator import Operator


class GradientRule:
    """The backward functions of an operator, and what of a call they need."""

    def __init__(self, rules: Gradients):
        self.rules = rules
        self.results = rules.results
        self.positions = {name: i for i, name in enumerate(rules.arguments)}
        tensors = set(rules.arrays)
        arguments = [name for name in rules.arguments if name in rules.needed & tensors]
        kept = [name for name in rules.arguments if name in rules.needed - tensors]
        results = [name for name in self.results if name in rules.needed]
        self.saved, self.kept = (*arguments, *results), tuple(kept)
        values = [*rules.arguments, *self.results]
        self._saved = _selection([values.index(name) for name in self.saved])
        self._kept = _selection([values.index(name) for name in self.kept])
        self._was_checked = False

    def save(self, ctx: Any, args: tuple, results: tuple, describe: bool = True) -> None:
        ctx.save_for_backward(*self._saved(args + results))
        ctx.kept = self._kept(args)
        if describe and not self._was_checked:
            ctx.arguments = [(x.dtype, x.shape) if isinstance(x, torch.Tensor) else None for x in args]

    def gradients(
        self, ctx: Any, grads: tuple, needs: Sequence[bool] | None = None, run: Callable | None = None
    ) -> list[torch.Tensor | None]:
        """One for each argument of the operator. `run` takes a function, its parameters and their values."""
        needs = ctx.needs_input_grad if needs is None else needs
        known = dict(zip(self.saved, ctx.saved_tensors, strict=True))
        known |= zip(self.kept, ctx.kept, strict=True)
        known |= zip((f"grad_{name}" for name in self.results), grads, strict=True)
        made: list[torch.Tensor | None] = [None] * len(self.positions)
        for arguments, function in self.rules.functions.items():
            if any(needs[self.positions[name]] for name in arguments):
                names = self.rules.parameters[arguments]
                values = [known[name] for name in names]
                result = function(*values) if run is None else run(function, names, values)
                results = result if isinstance(result, (tuple, list)) else (result,)
                if hasattr(ctx, "arguments"):
                    described = dict(zip(self.positions, ctx.arguments, strict=True))
                    self.rules.check_results(arguments, results, described.get, lambda x: (x.dtype, x.shape))
                    self._was_checked = True
                for name, gradient in zip(arguments, results, strict=True):
                    if needs[self.positions[name]]:
                        made[self.positions[name]] = gradient
        return made

    def check(self, args: tuple, results: tuple, grads: tuple) -> None:
        """Run all functions on an example of a call. OperatorError as in a backward."""
        context = _Example()
        self.save(context, args + (None,) * (len(self.positions) - len(args)), results)
        context.needs_input_grad = (True,) * len(self.positions)
        self.gradients(context, grads)


def _selection(positions: Sequence[int]) -> Callable[[tuple], tuple]:
    """The items at these positions, which every call that records a gradient takes."""
    if len(positions) > 1:
        return itemgetter(*positions)
    return (lambda items: (items[positions[0]],)) if positions else (lambda items: ())


class _Example:
    """The context of a call that is not one of PyTorch's."""

    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors


def make_autograd_kernel(operator: Operator | BatchedOperator) -> Callable:
    """The function that PyTorch calls first. On tensors with memory and with nothing else to be asked, it runs the
    implementation at once: another turn through the dispatcher takes 2 us."""
    overload = operator.overload
    defaults = tuple(
        argument.default_value if argument.has_default_value() else None
        for argument in operator.schema.arguments
        if not argument.kwarg_only
    )
    has_lists = any("List" in str(argument.type) for argument in operator.schema.arguments)
    below, after = _C._AutoDispatchBelowAutograd, _C._after_autograd_keyset
    backends, are_direct = _C._after_ADInplaceOrView_keyset, {}
    transforms_are_active = _C._are_functorch_transforms_active
    is_grad_enabled, any_requires_grad = _C.is_grad_enabled, _C._any_requires_grad

    def redispatch(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        with below():
            return overload.redispatch(keyset & after, *args, **kwargs)

    def is_direct(keyset: Any) -> bool:
        return (keyset & backends).highestPriorityTypeId().name in ("CPU", "CUDA")

    def record(ctx: Any, args: tuple, result: Any) -> Any:
        gradients = operator.gradients
        if isinstance(result, list):
            result = tuple(result)
        if gradients is not None:
            gradients.save(ctx, args, result if isinstance(result, tuple) else (result,))
        return result

    def gradients_of(ctx: Any, grads: tuple) -> list:
        if operator.gradients is None:
            raise OperatorError(f"{operator.name} has no gradient; register_autograd gives it one")
        return operator.gradients.gradients(ctx, grads)

    class Direct(_SingleLevelFunction):
        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            return record(ctx, args, operator.implementation(*args))

        @staticmethod
        @boundary
        def backward(ctx: Any, *grads: Any) -> Any:
            return tuple(gradients_of(ctx, grads))

    class ByCall(_SingleLevelFunction):
        """The last argument makes the call of the others."""

        @staticmethod
        def forward(ctx: Any, *args: Any) -> Any:
            return record(ctx, args[:-1], args[-1](*args[:-1]))

        @staticmethod
        @boundary
        def backward(ctx: Any, *grads: Any) -> Any:
            return (*gradients_of(ctx, grads), None)

    def run(keyset: Any, *args: Any, **kwargs: Any) -> Any:
        keys = keyset.raw_repr()
        direct = are_direct.get(keys)
        if direct is None:
            direct = are_direct[keys] = is_direct(keyset)
        if not is_grad_enabled() or not any_requires_grad(*args, **kwargs):
            return operator.implementation(*args, **kwargs) if direct else redispatch(keyset, *args, **kwargs)
        if operator.mutates:
            raise OperatorError(
                f"{operator.name} mutates {', '.join(operator.mutates)}, so it has no gradient, but an argument"
                " requires one; call it under torch.no_grad(), or on detached tensors"
            )
        if has_lists and any_requires_grad(*(each for each in args if isinstance(each, (list, tuple)))):
            raise OperatorError(f"{operator.name}: tensors in lists have no gradient, but one requires it")
        args += defaults[len(args) :]
        if direct and not kwargs and not transforms_are_active():
            return Direct.apply(*args)
        call = functools.partial(
            operator.implementation if direct else redispatch, *(() if direct else (keyset,)), **kwargs
        )
        if not transforms_are_active():
            return ByCall.apply(*args, call)
        with enable_single_level_autograd_function():  # of the transform that asks; redispatching asks the next one
            return ByCall.apply(*args, call)

    return boundary(run)
