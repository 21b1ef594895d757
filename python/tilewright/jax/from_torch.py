# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch as operators of JAX: their function runs on tensors without memory, each of which stands for an
array of JAX, and its launches become launches on these."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any

import jax
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from tilewright._runtime.observed import launches_go_to
from tilewright.errors import OperatorError
from tilewright.jax.arrays import Array, Memory, NeedsCopy, empty
from tilewright.jax.filling import fill
from tilewright.jax.operator import Operator
from tilewright.kernel import launch
from tilewright.torch.batching import ALLOCATES, ALLOCATES_NUMBERS, COPIES, FILLS, VIEWS
from tilewright.torch.fake import memory_of
from tilewright.torch.operator import Operator as TorchOperator
from tilewright.torch.operator import registered


@functools.cache
def from_torch(operator: TorchOperator) -> Operator:
    """The operator for arrays of JAX, with its gradients. Its function may allocate, view, fill and launch, and call
    such operators. Since 0.1."""
    hints = typing.get_type_hints(operator.function)
    made = Operator(operator.name, _adapted(operator.function, hints), operator.mutates)
    if operator.gradients is not None:
        rules = operator.gradients.rules
        functions = {of: _backward(operator, of, function, hints) for of, function in rules.functions.items()}
        if len(functions) == 1:
            ((of, function),) = functions.items()
            made.register_autograd(function, of=of, results=rules.results)
        else:
            made.register_autograd(results=rules.results, **{of[0]: function for of, function in functions.items()})
    return made


def _backward(operator: TorchOperator, of: tuple[str, ...], function: Callable, hints: dict[str, Any]) -> Callable:
    """A backward function for arrays of JAX. It is made when it first runs, for operators may be each other's."""
    plain = getattr(function, "function", function)

    @functools.cache
    def adapted() -> Operator:
        if isinstance(function, TorchOperator):
            return from_torch(function)
        tensors = torch.Tensor if len(of) == 1 else tuple[(torch.Tensor,) * len(of)]  # type: ignore[misc]
        known = {name: hints.get(name, torch.Tensor) for name in inspect.signature(plain).parameters}
        return Operator(f"{operator.name}_{'_'.join(of)}", _adapted(plain, known | {"return": tensors}), ())

    @functools.wraps(plain)
    def run(*args: Any) -> Any:
        names = inspect.signature(plain).parameters
        given = (_conjugate(arg) if name.startswith("grad_") else arg for name, arg in zip(names, args, strict=True))
        return jax.tree.map(_conjugate, adapted()(*given))

    return run


def _conjugate(gradient: Any) -> Any:
    """JAX's gradient of a complex number is the conjugate of PyTorch's."""
    return jax.numpy.conj(gradient) if jax.numpy.iscomplexobj(gradient) else gradient


def _adapted(function: Callable, hints: dict[str, Any]) -> Callable:
    """The function on arrays of JAX without elements."""

    def run(*args: Any, **kwargs: Any) -> Any:
        return _Run().call(function, args, kwargs)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    run.__annotations__ = {name: _of_jax(hint) for name, hint in hints.items()}
    return run


def _of_jax(hint: Any) -> Any:
    """An annotation with JAX's arrays in the place of tensors."""
    if hint is torch.Tensor:
        return jax.Array
    items = typing.get_args(hint)
    if torch.Tensor not in items:
        return hint
    changed = tuple(map(_of_jax, items))
    return typing.Union[changed] if type(None) in items else typing.get_origin(hint)[changed]  # noqa: UP007


class _Run(TorchDispatchMode):
    """The function's calls of PyTorch, and its launches."""

    def __init__(self) -> None:
        super().__init__()
        self.memories: dict[int, Memory] = {}  # by that of the tensors
        self.kept: list[torch.Tensor] = []  # so that no other has the place of one
        self.actions: list[Callable[[], Any]] = []

    def call(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        with FakeTensorMode(), self, launches_go_to(self._launch):
            args, kwargs = _replaced((args, kwargs), Array, self._tensor)
            result = function(*args, **kwargs)
            result = _replaced(result, torch.Tensor, self._array)
        for action in self.actions:
            action()
        return result

    def _tensor(self, array: Array) -> torch.Tensor:
        device = "cuda" if jax.default_backend() == "gpu" else "cpu"
        dtype = getattr(torch, array.dtype.name)
        made = torch.empty_strided(array.shape, array.strides, dtype=dtype, device=device)
        self.memories[memory_of(made)] = array.memory
        return made

    def _array(self, tensor: torch.Tensor) -> Array:
        dtype = jax.numpy.dtype(str(tensor.dtype).removeprefix("torch."))
        key = memory_of(tensor)
        if key not in self.memories:
            self.memories[key] = empty(tensor.untyped_storage().nbytes() // tensor.element_size(), dtype).memory
        return Array(self.memories[key], tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), dtype)

    def _launch(self, kernel: Any, grid: Any, args: tuple, stream: Any) -> None:
        arrays = _replaced(tuple(args), torch.Tensor, self._array)
        self.actions.append(lambda: launch(None, grid, kernel, arrays))

    def _fill(self, tensor: torch.Tensor, value: Any) -> None:
        array = self._array(tensor)
        self.actions.append(lambda: fill(array, value))

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name
        operator = registered.get(name)
        if operator is not None:
            with self:
                return operator.function(*args, **kwargs)
        if name.startswith("prim::"):
            return func(*args, **kwargs)  # a question, as that for the device
        if name in COPIES:
            raise NeedsCopy(f"{name} of a tensor that is not row by row")
        if not (name in ALLOCATES or name in ALLOCATES_NUMBERS or name in FILLS or name in VIEWS or func.is_view):
            raise OperatorError(f"its function calls {name}; for arrays of JAX it may allocate, view, fill and launch")
        made = func(*args, **kwargs)
        self.kept.append(made)
        if name in ALLOCATES:
            self._array(made)  # by its own dtype, whatever views there will be
        if name in ALLOCATES_NUMBERS or name in FILLS:
            self._fill(made, _value(name, args))
        return made


def _value(name: str, args: tuple) -> Any:
    """The number that a function of PyTorch gives all elements."""
    return args[-1] if "full" in name or "fill" in name else int("ones" in name)


def _replaced(value: Any, kind: type, replace: Callable[[Any], Any]) -> Any:
    if isinstance(value, kind):
        return replace(value)
    if isinstance(value, dict):
        return {name: _replaced(item, kind, replace) for name, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_replaced(item, kind, replace) for item in value)
    return value
