# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of JAX, and their calls."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tilewright._operators.gradients import Differentiable, Gradients
from tilewright._operators.launches import Launches, check_mutations, check_results
from tilewright._runtime.tracebacks import boundary
from tilewright.errors import OperatorError
from tilewright.jax.arrays import Array
from tilewright.jax.gradients import check_backward, with_gradients
from tilewright.jax.primitive import Call, varying_alike
from tilewright.jax.recording import Recording, is_whole, memories_in
from tilewright.jax.signature import Signature, Structure


class Operator(Differentiable):
    """A function that is an operator of JAX: called as it was, in functions that JAX transforms or outside of such.

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
        self.name = name
        self.function = function
        self.mutates = mutates
        self.signature = Signature(name, function)
        self.num_results = self.signature.num_results
        for argument in mutates:
            if argument not in (*self.signature.arrays, *self.signature.lists):
                raise ValueError(f"{name}: mutates={mutates!r} names '{argument}', which is no array among the"
                                 f" parameters ({', '.join(self.signature.parameters)})")  # fmt: skip
        if not self.num_results and not mutates:
            raise ValueError(f"{name} returns nothing and mutates nothing, so that JAX would never run it")
        self._example = example
        self._calls: dict[Any, Call] = {}
        self._functions: dict[Structure, Callable] = {}
        self.gradients: Gradients | None = None
        self.batched: Callable | None = None
        functools.update_wrapper(self, function)
        if example is not None:
            self.check(*example())

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, structure = self.signature.flatten(args, kwargs)
        function = self._functions.get(structure)
        if function is None:
            function = self._functions[structure] = self._compiled(structure)
        return function(*leaves)

    def __reduce__(self) -> str:
        return self.__qualname__  # as functions

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    @boundary
    def check(self, *args: Any, **kwargs: Any) -> None:
        """Run the operator without memory on arguments as a call takes them: arrays, or jax.ShapeDtypeStruct, of which
        shape and dtype count. OperatorError if its kernels write another argument than it declares, or its results are
        not what it is annotated with."""
        leaves, structure = self.signature.flatten(args, kwargs)
        self.call_for(leaves, structure)

    def _arguments_and_results(self) -> tuple[Sequence[str], Sequence[str], int]:
        return self.signature.parameters, self.signature.arrays, self.num_results

    def _take_gradients(self, rules: Gradients) -> None:
        if self._example is not None:
            leaves, structure = self.signature.flatten(tuple(self._example()), {})
            check_backward(self, rules, structure, leaves)
        self.gradients = rules
        self._functions.clear()

    def register_vmap(self, batched: Callable, /) -> None:
        """Let another operator or function do what `jax.vmap` asks of this one. ``batched`` takes the same arguments,
        in which every array has one more axis in front, and returns the results likewise. An array that is not mapped
        over is repeated. Without it, its kernels run over a batch."""
        self.batched = batched
        self._functions.clear()

    def call_for(self, leaves: Sequence[Any], structure: Structure) -> Call:
        """The call of such arrays, traced. OperatorError as in `check`."""
        operands = tuple((tuple(leaf.shape), np.dtype(leaf.dtype)) for leaf in map(_described, leaves))
        call = self._calls.get((structure, operands))
        if call is None:
            places = self.signature.places(structure)
            mutated = tuple(i for name in self.mutates for i in places[name])
            record = functools.partial(self._record, structure)
            call = self._calls[structure, operands] = Call(self.name, record, operands, mutated)
        return call

    def run(self, structure: Structure, *leaves: Any) -> tuple[Any, ...]:
        """The results as the function has them, without gradients: first the mutated arguments, arrays of their own."""
        call = self.call_for(leaves, structure)
        made = call.run(leaves)
        count = len(call.mutated)
        own = (made[count + place].reshape(shape) for place, shape in call.outcome)
        return (*made[:count], *own)

    def _compiled(self, structure: Structure) -> Callable:
        """The function that runs with the arrays of a call alone."""
        run: Callable = functools.partial(self.run, structure)
        if self.batched is not None:
            run = self._with_rule(run, structure)
        if self.gradients is not None:
            run = with_gradients(run, self.gradients, self.signature, structure)

        def call(*leaves: Any) -> Any:
            results = run(*varying_alike(leaves))
            count = len(results) - self.num_results
            return self._shaped(results[:count], results[count:], structure)

        call.__name__ = self.name
        return jax.jit(call, inline=True)

    def _shaped(self, mutated: Sequence[Any], results: Sequence[Any], structure: Structure) -> Any:
        """A value, or a tuple; a list that was mutated is one of them."""
        parts = dict(zip(self.signature.parameters, structure, strict=True))
        left = iter(mutated)
        values = [jax.tree.unflatten(parts[name], [next(left) for _ in range(parts[name].num_leaves)])
                  for name in self.mutates]  # fmt: skip
        values += results
        return values[0] if len(values) == 1 else tuple(values)

    def _with_rule(self, run: Callable, structure: Structure) -> Callable:
        batched = self.batched
        assert batched is not None
        made = jax.custom_batching.custom_vmap(run)

        @made.def_vmap
        def rule(extent: int, mapped: list[bool], *leaves: Any) -> tuple[Any, Any]:
            of_all = [leaf if each else jax.numpy.broadcast_to(leaf, (extent, *leaf.shape))
                      for leaf, each in zip(leaves, mapped, strict=True)]  # fmt: skip
            result = self.signature.call(batched, self.signature.unflatten(of_all, structure))
            results = tuple(jax.tree.leaves(result))
            return results, (True,) * len(results)

        return made

    def _record(self, structure: Structure, recording: Recording) -> list[tuple[int, tuple[int, ...]]]:
        """Run the function, and compare what its kernels do with the declaration. Returns which of what it allocated
        each result is, and the result's shape."""
        arguments = self.signature.unflatten(recording.items, structure)
        result = recording.run(lambda: self.signature.call(self.function, arguments))
        results = list(result) if isinstance(result, (tuple, list)) else [] if result is None else [result]
        launches = Launches()
        for launch in recording.launches:
            launches.note(launch.kernel, recording.written(launch))
        memories = {name: [memory.number for memory in memories_in(value)] for name, value in arguments.items()}
        check_mutations(self.name, self.mutates, memories, launches)
        for number, each in enumerate(results):
            if not isinstance(each, Array):
                raise OperatorError(f"{self.name}: result {number} is a {type(each).__name__}, expected an array that"
                                    " tilewright.jax.empty made")  # fmt: skip
        numbers = [each.memory.number for each in results]
        check_results(self.name, self.num_results, memories, len(results), numbers)
        for number, each in enumerate(results):
            if not is_whole(each):
                raise OperatorError(f"{self.name}: result {number} is a part of what it allocated, or in another order;"
                                    " take that part outside of the operator")  # fmt: skip
        first = recording.num_buffers - len(recording.allocated)
        extents = tuple(level.extent for level in recording.levels)
        return [(each.memory.number - first, (*extents, *each.shape)) for each in results]


def _described(leaf: Any) -> Any:
    """A value with the shape and dtype that JAX takes it with."""
    return leaf if hasattr(leaf, "shape") and hasattr(leaf, "dtype") else jax.eval_shape(jax.numpy.asarray, leaf)
