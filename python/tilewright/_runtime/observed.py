# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that go to an observer instead of running, and the arguments that a kernel would write in one."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tilewright import _runtime
from tilewright.errors import TileInternalError

Observer = Callable[[Any, Any, tuple, Any], None]
"""Takes the kernel, the grid, the arguments and the stream."""

Path = tuple[int, ...]
"""The number of an argument, then of members of tuples and of fields of dataclasses."""

_of_thread = threading.local()
_lock = threading.Lock()
_users = 0
_plain: Any = None


@contextmanager
def launches_go_to(observer: Observer) -> Iterator[None]:
    """This thread's launches within call `observer` and run nothing. Those of others, and of all threads outside, cost
    what they cost otherwise: the function that launches is replaced for as long as anyone observes."""
    global _users, _plain
    before = getattr(_of_thread, "observer", None)
    with _lock:
        if _users == 0:
            _plain, _runtime.launch = _runtime.launch, _launch
        _users += 1
    _of_thread.observer = observer
    try:
        yield
    finally:
        _of_thread.observer = before
        with _lock:
            _users -= 1
            if _users == 0:
                _runtime.launch = _plain


def _launch(kernel: Any, grid: Any, args: Any, stream: Any, dependent: bool) -> None:
    observer = getattr(_of_thread, "observer", None)
    if observer is None:
        _plain(kernel, grid, args, stream, dependent)
    else:
        observer(kernel, grid, args, stream)


def written_arguments(kernel: Any, args: tuple) -> frozenset[Path]:
    """The paths of the arrays that the kernel's Tile IR stores to.

    The arrays of `args` are described by ``__array_interface__``; their memory is not read."""
    from tilewright._runtime.dispatch import launcher_of
    from tilewright.tile_module import ModuleKernel

    if isinstance(kernel, ModuleKernel):
        return frozenset((i,) for i, parameter in enumerate(kernel.parameters) if parameter.written)
    specs = launcher_of(kernel).specs(args)
    known = kernel.__dict__.setdefault("_written_arguments", {})
    if specs not in known:
        known[specs] = _written_in_module(kernel, specs)
    return known[specs]


def value_at(args: tuple, path: Path) -> Any:
    """The value that a path leads to."""
    value: Any = args
    for number in path:
        if dataclasses.is_dataclass(value):
            value = getattr(value, dataclasses.fields(value)[number].name)
        else:
            value = value[number]
    return value


def _written_in_module(kernel: Any, specs: tuple) -> frozenset[Path]:
    from tilewright._frontend.compile import compile_to_module
    from tilewright._frontend.signature import Signature

    compiled = compile_to_module(kernel, Signature(specs))
    for entry, parameters in compiled.module.entries():
        if entry == compiled.entry:
            facts = zip(compiled.parameters, parameters, strict=True)
            return frozenset(source.argument for source, (_, _, written, *_) in facts if written)
    raise TileInternalError(f"the module of {kernel.__name__} has no entry of that name")
