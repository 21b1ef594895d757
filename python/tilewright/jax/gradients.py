# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of operators: what other such functions make of a call becomes JAX's custom rule for it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from tilewright._operators.gradients import Gradients
from tilewright.jax.known import Known
from tilewright.jax.signature import Signature, Structure

if TYPE_CHECKING:
    from tilewright.jax.operator import Operator


def with_gradients(run: Callable, rules: Gradients, signature: Signature, structure: Structure) -> Callable:
    """`run`, which takes the arrays of a call and returns a tuple of results, with the gradients that `rules` say."""
    rule = _Rule(rules, signature, structure)
    made = jax.custom_vjp(run)

    def forward(*primals: Any) -> tuple[Any, Any]:
        return rule.forward(made, *primals)

    made.defvjp(forward, rule.backward, symbolic_zeros=True)
    return made


class _Rule:
    def __init__(self, rules: Gradients, signature: Signature, structure: Structure):
        self.rules = rules
        self.signature = signature
        self.structure = structure
        self.places = signature.places(structure)
        self.known = {name: part.value for name, part in zip(signature.parameters, structure, strict=True)
                      if isinstance(part, Known)}  # fmt: skip

    def forward(self, run: Callable, *primals: Any) -> tuple[Any, Any]:
        """The results by `run`, which has gradients itself, and what the backward needs. The keys of dictionaries are
        known when JAX traces the backward: so is which of its functions are wanted."""
        leaves = [primal.value for primal in primals]
        results = run(*leaves)
        arguments = self.signature.unflatten(leaves, self.structure) | dict(
            zip(self.rules.results, results, strict=True)
        )
        saved = {name: arguments[name] for name in sorted(self.rules.needed)
                 if name in arguments and name not in self.known}  # fmt: skip
        wanted = {of: None for of in self.rules.functions
                  if any(primals[i].perturbed for name in of for i in self.places[name])}  # fmt: skip
        likes = {i: _Like(leaf) for i, leaf in enumerate(leaves)}
        return results, (saved, wanted, likes)

    def backward(self, residuals: Any, grads: Sequence[Any]) -> tuple[Any, ...]:
        saved, wanted, likes = residuals
        known = self.known | saved
        known |= {f"grad_{name}": _materialized(grad) for name, grad in zip(self.rules.results, grads, strict=True)}
        made: list[Any] = [None] * len(likes)

        def like(name: str) -> Any:
            return (likes[self.places[name][0]].dtype, likes[self.places[name][0]].shape) if self.places[name] else None

        for of in wanted:
            result = self.rules.functions[of](*(known[name] for name in self.rules.parameters[of]))
            gradients = result if isinstance(result, (tuple, list)) else (result,)
            self.rules.check_results(of, gradients, like, lambda x: (np.dtype(x.dtype), tuple(x.shape)))
            for name, gradient in zip(of, gradients, strict=True):
                for i in self.places[name]:
                    made[i] = gradient
        return tuple(made)


@jax.tree_util.register_pytree_node_class
class _Like:
    """The dtype and shape of an array, known when JAX traces."""

    def __init__(self, array: Any):
        self.dtype, self.shape = np.dtype(array.dtype), tuple(array.shape)

    def tree_flatten(self) -> tuple[tuple, Any]:
        return (), (self.dtype, self.shape)

    @classmethod
    def tree_unflatten(cls, data: Any, children: tuple) -> _Like:
        made = object.__new__(cls)
        made.dtype, made.shape = data
        return made


def _materialized(grad: Any) -> Any:
    if isinstance(grad, jax.custom_derivatives.SymbolicZero):
        return jax.numpy.zeros(grad.shape, grad.dtype)
    return grad


def check_backward(operator: Operator, rules: Gradients, structure: Structure, leaves: Sequence[Any]) -> None:
    """Trace the gradients of an example of a call."""
    run = with_gradients(functools.partial(operator.run, structure), rules, operator.signature, structure)
    floating = [jax.numpy.issubdtype(leaf.dtype, jax.numpy.inexact) for leaf in leaves]

    def gradients(*leaves: Any) -> Any:
        def of_floats(*floats: Any) -> Any:
            left = iter(floats)
            return run(*(next(left) if each else leaf for leaf, each in zip(leaves, floating, strict=True)))

        floats = [leaf for leaf, each in zip(leaves, floating, strict=True) if each]
        results, backward = jax.vjp(of_floats, *floats)
        return backward(tuple(jax.numpy.zeros(x.shape, jax.numpy.result_type(x)) for x in results))

    jax.eval_shape(gradients, *leaves)
