# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which function computes the gradients of which arguments, and what of a call it takes, by its parameters' names: an
argument, a result, or ``grad_`` and a result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tilewright._runtime.tracebacks import boundary
from tilewright.errors import OperatorError


class Differentiable:
    """An operator that may have a gradient."""

    name: str
    mutates: tuple[str, ...]

    @boundary
    def register_autograd(
        self,
        backward: Callable | None = None,
        /,
        *,
        of: Sequence[str] | None = None,
        results: Sequence[str] | None = None,
        **of_arguments: Callable,
    ) -> None:
        """Give the operator a gradient, computed by other operators or functions on arrays.

        ``backward`` returns the gradients of the arguments ``of``, by default of all arrays, in order; or there is one
        function for an argument, as in ``register_autograd(x=gradient_of_x, weight=gradient_of_weight)``, called only
        where that gradient is needed. Their parameters say by their names what they take of a call: an argument, a
        result, or its gradient. The only result is called ``out`` and its gradient ``grad_out``; of several ``results``
        has the names, by default out0, out1, and so on. A gradient has the dtype and shape of its argument.

        OperatorError, which names both, for a parameter that is none of these, for another number of gradients, and,
        when the backward first runs or is traced, for gradients of another dtype or shape; with the ``example`` of `op`
        that is now. An operator that mutates has no gradient.
        """
        if self.mutates:
            raise OperatorError(f"{self.name} mutates {', '.join(self.mutates)}, so it has no gradient")
        self._take_gradients(Gradients(self.name, *self._arguments_and_results(), backward, of, results, of_arguments))

    def _arguments_and_results(self) -> tuple[Sequence[str], Sequence[str], int]:
        """As `Gradients` takes them: arguments, those that are arrays, and the number of results."""
        raise NotImplementedError

    def _take_gradients(self, rules: Gradients) -> None:
        """After a try with the example, if there is one."""
        raise NotImplementedError


class Gradients:
    """The backward functions of an operator, checked against its signature.

    `arguments` are all that it takes by position, `arrays` those that may have a gradient, `count` is the number of its
    results. The rest is as `register_autograd` of the operator has it."""

    def __init__(
        self,
        operator: str,
        arguments: Sequence[str],
        arrays: Sequence[str],
        count: int,
        backward: Callable | None,
        of: Sequence[str] | None,
        results: Sequence[str] | None,
        of_arguments: dict[str, Callable],
    ):
        if (backward is None) == (not of_arguments):
            raise TypeError("register_autograd takes one function, or one by each argument's name")
        self.operator = operator
        self.arguments, self.arrays = tuple(arguments), tuple(arrays)
        self.results = tuple(results or (["out"] if count == 1 else [f"out{i}" for i in range(count)]))
        self.functions: dict[tuple[str, ...], Callable]
        if backward is not None:
            self.functions = {tuple(arrays if of is None else of): backward}
        else:
            self.functions = {(name,): function for name, function in of_arguments.items()}
        self.parameters = {of: _parameter_names(function) for of, function in self.functions.items()}
        self.needed = {name for names in self.parameters.values() for name in names}
        self._check(count)

    def _check(self, count: int) -> None:
        if len(self.results) != count or set(self.results) & set(self.arguments):
            raise OperatorError(f"{self.operator}: results={self.results!r} has to name its {count}"
                                " results, as no argument is called")  # fmt: skip
        grads = [f"grad_{name}" for name in self.results]
        for arguments, names in self.parameters.items():
            what = self._name(arguments)
            for name in arguments:
                if name not in self.arrays:
                    raise OperatorError(f"{what} is for '{name}', which is no tensor among the operator's arguments"
                                        f" ({', '.join(self.arguments)})")  # fmt: skip
            for name in names:
                if name not in self.arguments and name not in self.results and name not in grads:
                    raise OperatorError(f"{what} takes '{name}', expected names of arguments"
                                        f" ({', '.join(self.arguments)}), results ({', '.join(self.results)}) and"
                                        f" {', '.join(grads)}")  # fmt: skip
            returned = getattr(self.functions[arguments], "num_results", None)
            if returned is not None:
                self._check_number(arguments, returned)

    def check_results(
        self,
        arguments: tuple[str, ...],
        gradients: Sequence,
        expected: Callable[[str], Any],
        found: Callable[[Any], Any],
    ) -> None:
        """OperatorError if a backward has returned other gradients than one like each of `arguments`; `expected` and
        `found` have the dtype and shape of an argument, and of a gradient."""
        self._check_number(arguments, len(gradients))
        for name, gradient in zip(arguments, gradients, strict=True):
            wanted = expected(name)
            if gradient is not None and wanted is not None and found(gradient) != wanted:
                raise OperatorError(f"{self._name(arguments)} returns {_shown(*found(gradient))} for the gradient of"
                                    f" '{name}', which is {_shown(*wanted)}")  # fmt: skip

    def _check_number(self, arguments: tuple[str, ...], returned: int) -> None:
        if returned != len(arguments):
            raise OperatorError(f"{self._name(arguments)} returns {returned} results, expected {len(arguments)}, the"
                                f" gradients of {', '.join(arguments)}")  # fmt: skip

    def _name(self, arguments: tuple[str, ...]) -> str:
        function = self.functions[arguments]
        name = getattr(function, "name", None) or getattr(function, "__name__", repr(function))
        return f"{self.operator}: the backward {name}"


def _shown(dtype: Any, shape: Any) -> str:
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}"


def _parameter_names(function: Callable) -> tuple[str, ...]:
    return tuple(inspect.signature(getattr(function, "function", function)).parameters)
