# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on tensors without memory: the function runs, its launches are left out, and what they would write is
compared with what the operator declares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import get_ident
from typing import TYPE_CHECKING, Any

import torch

from tilewright._operators.launches import Launches, check_mutations, check_results
from tilewright._runtime.observed import Path, launches_go_to, value_at, written_arguments
from tilewright.errors import OperatorError

if TYPE_CHECKING:
    from tilewright.torch.autograd import GradientRule
    from tilewright.torch.operator import Operator

_SPACE = 1 << 40  # bytes between the addresses that stand for two tensors' memory
_UNKNOWN_SIZE = 16  # for an extent of which PyTorch has no example
_NOTHING = nullcontext()
_dynamic: dict[int, Any] = {}
"""PyTorch's record of dynamic extents and what is known of them, by the thread that runs an operator on such."""


def size_hint(size: int | torch.SymInt) -> int:
    """An extent as a plain number: itself, or, while PyTorch traces with dynamic shapes, the example that it traces
    with. The shape stays dynamic, which it would not if the number decided anything but the arguments of launches, as
    tile sizes do: these are left out then. Since 0.1."""
    return _plain(size)


def launching() -> AbstractContextManager:
    """A context for what only launches: ``with tilewright.torch.launching(): ...`` around code that chooses kernels,
    grids and tiles by the extents of tensors. While PyTorch traces with dynamic shapes, comparisons and numbers of
    extents are those of the example within, and the graph stays good for all shapes; nothing that decides a result's
    shape belongs there. Elsewhere it does nothing. Since 0.1."""
    shapes = _dynamic.get(get_ident()) if _dynamic else None
    return _NOTHING if shapes is None else shapes.suppress_guards()


def run_on_fakes(operator: Operator, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The fake implementation. OperatorError if what the kernels write is not what `operator` declares, or a result is
    not what its annotation says."""
    launches = Launches()
    named = operator.bind(args, kwargs)
    with (
        _with_dynamic_shapes(named),
        launches_go_to(lambda kernel, grid, args, stream: launches.note(kernel, _written_memory(kernel, args))),
    ):
        result = operator.function(*args, **kwargs)
    memories = {argument: list(map(memory_of, tensors_in(value))) for argument, value in named.items()}
    check_mutations(operator.name, operator.mutates, memories, launches)
    results = result if isinstance(result, (tuple, list)) else () if result is None else (result,)
    has_lists = any("[]" in str(each.type) for each in operator.schema.returns)
    expected = None if has_lists else operator.num_results
    check_results(operator.name, expected, memories, len(results), list(map(memory_of, tensors_in(results))))
    return result


@contextmanager
def _with_dynamic_shapes(named: dict[str, Any]) -> Iterator[None]:
    """`launching` knows of the dynamic extents of the arguments, if they have any."""
    thread = get_ident()
    before = _dynamic.pop(thread, None)
    for tensor in tensors_in(list(named.values())):
        shapes = getattr(getattr(tensor, "fake_mode", None), "shape_env", None)
        if shapes is not None:
            _dynamic[thread] = shapes
            break
    try:
        yield
    finally:
        _dynamic.pop(thread, None)
        if before is not None:
            _dynamic[thread] = before


def written_tensors(kernel: Any, args: tuple) -> Iterator[tuple[Path, torch.Tensor]]:
    """The tensors that a launch would write, and the paths to them, of which some may lead to a list."""
    addresses: dict[int, int] = {}
    for path in sorted(written_arguments(kernel, tuple(_described(arg, addresses) for arg in args))):
        for tensor in tensors_in(value_at(args, path)):
            yield path, tensor


def _written_memory(kernel: Any, args: tuple) -> Iterator[tuple[Path, int]]:
    return ((path, memory_of(tensor)) for path, tensor in written_tensors(kernel, args))


def check_call(operator: Operator, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The results of a run on fakes of the arguments."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._pytree import tree_map

    # Modes that map devices would map those of fakes, too.
    with torch._C.DisableTorchFunction(), FakeTensorMode(allow_non_fake_inputs=True) as mode:

        def fake(value: Any) -> Any:
            return mode.from_tensor(value.detach()) if isinstance(value, torch.Tensor) else value

        return run_on_fakes(operator, tree_map(fake, args), tree_map(fake, kwargs))


def check_example(operator: Operator, example: Callable[[], Sequence[Any]]) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        run_on_fakes(operator, tuple(example()), {})


def check_backward(operator: Operator, rule: GradientRule, example: Callable[[], Sequence[Any]]) -> None:
    """A run of the gradients on tensors without memory."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        args = tuple(example())
        result = run_on_fakes(operator, args, {})
        results = tuple(tensors_in(result))
        rule.check(args, results, tuple(torch.empty_like(each) for each in results))


def check_against_fakes(operator: Operator, args: tuple, kwargs: dict[str, Any], call: Callable[[], Any]) -> Any:
    """The result of a call on tensors with memory, which is compared with that of a run on fakes of them."""
    expected = check_call(operator, args, kwargs)
    result = call()
    for number, (real, made) in enumerate(zip(tensors_in(result), tensors_in(expected), strict=True)):
        found, wanted = _shown(real), _shown(made)
        if found != wanted:
            raise OperatorError(f"{operator.name}: result {number} is {found}, but {wanted} on tensors without memory;"
                                " results may depend on shapes and dtypes only")  # fmt: skip
    return result


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The tensors of an argument or a result, which may be a list or a tuple."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)


def memory_of(tensor: torch.Tensor) -> int:
    """Equal for views of one memory."""
    return tensor.untyped_storage()._cdata


def _shown(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)} with strides {list(tensor.stride())}"


class _Described:
    """A tensor as an array of the same dtype, extents and strides at an address that stands for its memory."""

    def __init__(self, tensor: torch.Tensor, addresses: dict[int, int]):
        memory = memory_of(tensor)
        address = addresses.setdefault(memory, _SPACE * (len(addresses) + 1))
        item = tensor.element_size()
        self.__array_interface__ = {
            "version": 3,
            "shape": _plain_sizes(tensor.shape),
            "typestr": str(tensor.dtype).removeprefix("torch."),
            "data": (address + item * _plain(tensor.storage_offset()), False),
            "strides": tuple(item * stride for stride in _plain_sizes(tensor.stride())),
        }


def _described(value: Any, addresses: dict[int, int]) -> Any:
    if isinstance(value, torch.Tensor):
        return _Described(value, addresses)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(_described(item, addresses) for item in value)
    return _plain(value)


def _plain_sizes(sizes: Iterable[Any]) -> tuple[int, ...]:
    return tuple(map(_plain, sizes))


def _plain(value: Any) -> Any:
    """A symbolic number as the example that PyTorch has of it."""
    if not isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return value
    example = value.node.hint if value.node.has_hint() else None
    if example is not None:
        return example
    return {torch.SymInt: _UNKNOWN_SIZE, torch.SymFloat: math.pi, torch.SymBool: False}[type(value)]
