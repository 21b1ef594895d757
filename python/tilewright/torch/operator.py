# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decorator that makes an operator of a function, and what PyTorch is told of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tilewright._operators.gradients import Differentiable, Gradients
from tilewright._runtime.tracebacks import boundary, trim
from tilewright.errors import OperatorError
from tilewright.torch import fake
from tilewright.torch.autograd import GradientRule, make_autograd_kernel
from tilewright.torch.batched import BatchedOperator
from tilewright.torch.vmap import make_batching_rule

registered: dict[str, Operator] = {}
"""By name; they live as long as the process."""


class Operator(Differentiable):
    """A function that is an operator of PyTorch: called as it was, and known as ``torch.ops.NAMESPACE.NAME``.

    Made by `op`. The same function is the implementation on every device.
    """

    def __init__(
        self,
        name: str,
        function: Callable,
        mutates: tuple[str, ...],
        example: Callable[[], Sequence[Any]] | None = None,
    ):
        namespace, separator, short = name.partition("::")
        if not separator or not namespace.isidentifier() or not short.isidentifier():
            raise ValueError(f"an operator is called 'namespace::name', found {name!r}")
        signature = torch.library.infer_schema(function, mutates_args=mutates)
        self.name = name
        self.function = function
        self.mutates = mutates
        self._signature = inspect.signature(function)
        self._example = example
        self._was_run_on_fakes = False
        if name in registered:
            registered.pop(name)._library._destroy()  # a cell of a notebook has run again
        registered[name] = self
        library = self._library = torch.library.Library(namespace, "FRAGMENT")
        library.define(f"{short}{signature}", tags=(torch.Tag.pt2_compliant_tag,))
        self.overload = getattr(getattr(torch.ops, namespace), short).default
        self.schema = self.overload._schema
        self._mutated = [i for i, argument in enumerate(self.schema.arguments) if argument.name in mutates]
        self.gradients: GradientRule | None = None
        self.batched: Callable | None = None
        self._checked = self._run_and_count if mutates else function
        self.implementation: Callable = self._run_first
        library.impl(short, lambda *args, **kwargs: self.implementation(*args, **kwargs), "CompositeExplicitAutograd")
        library.impl(short, make_autograd_kernel(self), "Autograd", with_keyset=True)
        library._register_fake(short, boundary(lambda *args, **kwargs: fake.run_on_fakes(self, args, kwargs)))
        torch.library.register_vmap(name, make_batching_rule(self), lib=library)
        functools.update_wrapper(self, function)

    @property
    def num_results(self) -> int:
        return len(self.schema.returns)

    @functools.cached_property
    def over_batch(self) -> BatchedOperator:
        """The operator over a batch of each of its arguments, which vmap calls."""
        return BatchedOperator(self, self._library)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:  # not `boundary`, which torch.compile does not see through
            return self.overload(*args, **kwargs)
        except Exception as error:
            trim(error)
            raise

    def __reduce__(self) -> str:
        return self.__qualname__  # as functions: copies of a model share it, and a pickle has its name

    def __repr__(self) -> str:
        return f"<operator {self.schema}>"

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments by name, with defaults."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    @boundary
    def check(self, *args: Any, **kwargs: Any) -> None:
        """Run the operator without memory on arguments as a call takes them: tensors of which dtype, shape and strides
        count. OperatorError if its kernels write another argument than it declares, or its results are not what it is
        annotated with."""
        fake.check_call(self, args, kwargs)

    def _arguments_and_results(self) -> tuple[list[str], list[str], int]:
        arguments = [argument for argument in self.schema.arguments if not argument.kwarg_only]
        tensors = [argument.name for argument in arguments if str(argument.type) in ("Tensor", "Optional[Tensor]")]
        return [argument.name for argument in arguments], tensors, len(self.schema.returns)

    def _take_gradients(self, rules: Gradients) -> None:
        rule = GradientRule(rules)
        if self._example is not None:
            fake.check_backward(self, rule, self._example)
        self.gradients = rule

    def register_vmap(self, batched: Callable, /) -> None:
        """Let another operator do what `torch.vmap` asks of this one. ``batched`` takes the same arguments, in which
        every tensor has one more axis in front, and returns the results likewise. A tensor that is not mapped over is
        expanded: that axis has stride 0.

        Without it, its kernels run over a batch, if the function does nothing with tensors but allocate, view, copy and
        launch; else there is a call for each index."""
        self.batched = batched

    def check_once(self, args: tuple, kwargs: dict[str, Any]) -> None:
        """As `check`, unless that has been done here."""
        if not self._was_run_on_fakes:
            fake.check_call(self, args, kwargs)
            self._was_run_on_fakes = True

    def count_mutations(self, args: tuple, kwargs: dict[str, Any]) -> None:
        """Make known to autograd that a call has changed arguments, of which it may have saved some."""
        if self.mutates:
            values = [args[i] for i in self._mutated if i < len(args)]
            values += [kwargs[name] for name in self.mutates if name in kwargs]
            changed = [tensor for tensor in fake.tensors_in(values) if not tensor.is_inference()]
            torch.autograd.graph.increment_version(changed)

    def _run_first(self, *args: Any, **kwargs: Any) -> Any:
        """The implementation until a call has passed its check."""
        self.implementation = self._checked
        try:
            return fake.check_against_fakes(self, args, kwargs, lambda: self._checked(*args, **kwargs))
        except OperatorError:
            self.implementation = self._run_first
            raise

    def _run_and_count(self, *args: Any, **kwargs: Any) -> Any:
        result = self.function(*args, **kwargs)
        self.count_mutations(args, kwargs)
        return result


def op(
    name: str, *, mutates: Sequence[str] = (), example: Callable[[], Sequence[Any]] | None = None
) -> Callable[[Callable], Operator]:
    """Make an operator ``"namespace::name"`` of the function below, which allocates its results and launches kernels.

    Parameters and results are annotated, as `torch.library.infer_schema` takes them: ``torch.Tensor``, int, float,
    bool, str, ``torch.dtype``, ``torch.device``, optional ones and sequences of them; results are tensors, of any
    shape and dtype, that are not arguments or views of such. The function is the implementation on every device. On
    tensors without memory, from which PyTorch learns shapes, it runs with launches left out; so shapes and dtypes alone
    decide what it does (`size_hint` for tile sizes with dynamic shapes).

    ``mutates`` names the arguments that kernels write. It is compared with the kernels' Tile IR: at registration if
    there is an ``example``, which returns the arguments of a call (made without memory), else when the operator first
    runs, and whenever PyTorch traces it. `OperatorError` names operator, kernel and parameter. ValueError for a name
    without a namespace. Since 0.1.
    """

    @boundary
    def register(function: Callable) -> Operator:
        made = Operator(name, function, (mutates,) if isinstance(mutates, str) else tuple(mutates), example)
        if example is not None:
            try:
                fake.check_example(made, example)
            except BaseException:
                registered.pop(name)._library._destroy()
                raise
        return made

    return register
