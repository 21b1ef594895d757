# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An operator over a batch in one call: its function runs on the first item, and its launches become those of kernels
over a batch.

A tensor of the first item is a view of memory that has all items at equal distances; so is every view that the function
makes of it, and all that it allocates. A launch therefore finds the other items by one more axis, whatever the function
did in between. Functions that do more with the elements than copying them are refused, before anything has run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tilewright._frontend.batch import Batch, batched_grid, batched_kernel
from tilewright._runtime.observed import launches_go_to
from tilewright.kernel import kernel as Kernel
from tilewright.kernel import launch
from tilewright.torch.fake import memory_of, tensors_in, written_tensors

if TYPE_CHECKING:
    from tilewright.torch.operator import Operator

ALLOCATES = {f"aten::{name}" for name in ("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided")}
ALLOCATES_NUMBERS = {
    f"aten::{name}" for name in ("zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full",
                                 "full_like", "new_full")
}  # fmt: skip
FILLS = {"aten::zero_", "aten::fill_"}
COPIES = {"aten::clone"}
VIEWS = {"aten::_unsafe_view"}  # of a copy, where a reshape needs one


class NotBatched(Exception):
    """The operator cannot run over a batch in one call."""


def run_batched(operator: Operator, size: int, mapped: Sequence[bool], args: tuple, kwargs: dict[str, Any]) -> Any:
    """The results with the batch in front. NotBatched, and nothing has run, if it takes a call for each item."""
    batch = _Batch(size)
    items = tuple(batch.first(value) if of_batch else value for value, of_batch in zip(args, mapped, strict=False))
    for item, of_batch in zip(items, mapped, strict=False):
        if not of_batch and batch.has(item):
            raise NotBatched  # one memory with the batch and without it
    operator.check_once(items, kwargs)
    # The transform that called this would keep the function's calls from the mode.
    with torch._C._DisableFuncTorch(), torch.no_grad(), launches_go_to(batch.launch), batch:
        result = operator.function(*items, **kwargs)
    one_each = list(tensors_in(result))
    for action in batch.actions:
        action()
    results = [_laid_out(batch.all(one), one, size) for one in one_each]
    if result is None:
        return None
    return results[0] if isinstance(result, torch.Tensor) else tuple(results)


def batch_of(one: torch.Tensor, size: int) -> torch.Tensor:
    """Memory for so many tensors like this one, behind each other."""
    extent = 1 + sum((size - 1) * stride for size, stride in zip(one.shape, one.stride(), strict=True))
    return one.new_empty_strided((size, *one.shape), (extent, *one.stride()))


def _laid_out(found: torch.Tensor, one: torch.Tensor, size: int) -> torch.Tensor:
    """As batch_of has them; where a result is a part of what the function allocated, that is a copy."""
    made = batch_of(one, 0)
    return found if found.stride() == made.stride() else batch_of(one, size).copy_(found)


class _Batch(TorchDispatchMode):
    """The function's calls of PyTorch, and its launches. `actions` has in order the work that is left to be done."""

    def __init__(self, size: int):
        super().__init__()
        self.size = size
        self.distances: dict[int, int] = {}  # by memory, bytes from item to item
        self.kept: list[torch.Tensor] = []  # so that no other memory gets the place of one that has the batch
        self.actions: list[Callable[[], Any]] = []

    def first(self, tensor: torch.Tensor) -> torch.Tensor:
        """The first item of a tensor whose first axis is the batch."""
        distance = tensor.stride(0) * tensor.element_size()
        if self.distances.setdefault(memory_of(tensor), distance) != distance:
            raise NotBatched  # two arguments view one memory in two ways
        self.kept.append(tensor)
        return tensor.select(0, 0)

    def all(self, tensor: torch.Tensor) -> torch.Tensor:
        """All items, of the first one."""
        distance, rest = divmod(self.distances.get(memory_of(tensor), 0), tensor.element_size())
        if rest:
            raise NotBatched  # a view by a wider dtype
        return tensor.as_strided((self.size, *tensor.shape), (distance, *tensor.stride()), tensor.storage_offset())

    def has(self, value: Any) -> bool:
        return any(memory_of(tensor) in self.distances for tensor in tensors_in(value))

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name
        if name in ALLOCATES or name in ALLOCATES_NUMBERS:
            return self._allocate(func(*args, **kwargs), name in ALLOCATES_NUMBERS)
        if func.is_view or name in VIEWS or not self.has([*args, *kwargs.values()]):
            return func(*args, **kwargs)
        if name in COPIES:
            made = self._allocate(func(*args, **kwargs), False)
            self.actions.append(lambda: self.all(made).copy_(self.all(args[0])))
            return made
        if name in FILLS:
            self.actions.append(lambda: func(self.all(args[0]), *args[1:], **kwargs))
            return args[0]
        raise NotBatched

    def _allocate(self, one: torch.Tensor, has_numbers: bool) -> torch.Tensor:
        made = batch_of(one, self.size)
        if has_numbers:
            made.copy_(one)
        return self.first(made)

    def launch(self, kernel: Any, grid: Any, args: tuple, stream: Any) -> None:
        if not isinstance(kernel, Kernel) or kernel.batch is not None:
            raise NotBatched
        if any(not self.has(tensor) for _, tensor in written_tensors(kernel, args)):
            raise NotBatched  # every item would write it
        paths: set[tuple[int, ...]] = set()
        of_all = tuple(self._argument(arg, (i,), paths) for i, arg in enumerate(args))
        if paths:
            grid, shares = batched_grid(grid, self.size)
            kernel = batched_kernel(kernel, Batch(frozenset(paths), shares))
        self.actions.append(lambda: launch(stream, grid, kernel, of_all))

    def _argument(self, value: Any, path: tuple[int, ...], paths: set) -> Any:
        if isinstance(value, tuple):
            return tuple(self._argument(item, (*path, i), paths) for i, item in enumerate(value))
        if dataclasses.is_dataclass(value) or (isinstance(value, list) and self.has(value)):
            raise NotBatched
        if not isinstance(value, torch.Tensor) or not self.has(value):
            return value
        paths.add(path)
        return self.all(value)
