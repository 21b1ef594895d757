# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The traceback of an error as a user sees it: the lines of the program, not those of its implementation."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

import tilewright
from tilewright import _native
from tilewright.errors import TileCompilerTimeoutError, TileInternalError

F = TypeVar("F", bound=Callable[..., Any])

_OURS = os.path.dirname(tilewright.__file__) + os.sep
_LIBRARY = os.path.dirname(os.__file__) + os.sep
_FRAMEWORKS = tuple(f"-packages{os.sep}{name}{os.sep}" for name in ("torch", "jax", "jaxlib"))
_RUNS_SCRIPTS = ("<frozen runpy>", "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


def _is_ours(file: str, after_ours: bool) -> bool:
    """Also what of Python's library, PyTorch and JAX ours calls in between."""
    if file.startswith(_OURS) or file in _RUNS_SCRIPTS:
        return True
    if not after_ours:
        return False
    is_of_library = file.startswith(_LIBRARY) and "-packages" + os.sep not in file
    return is_of_library or any(folder in file for folder in _FRAMEWORKS)


def of_program(traceback: TracebackType | None) -> TracebackType | None:
    """The frames that are not ours."""
    kept = []
    frame, ours = traceback, False
    while frame is not None:
        ours = _is_ours(frame.tb_frame.f_code.co_filename, ours)
        if not ours:
            kept.append(frame)
        frame = frame.tb_next
    following = None
    for frame in reversed(kept):
        frame.tb_next = following
        following = frame
    return following


def _are_full() -> bool:
    try:
        return _native.read_environment("TILEWRIGHT_TRACEBACK") == "full"
    except ValueError:  # which the error may be about
        return False


def trim(error: BaseException) -> None:
    """Leaves our frames out of what the error, and what caused it, shows. Errors of the compiler itself keep them, and
    TILEWRIGHT_TRACEBACK=full keeps all."""
    is_of_compiler = isinstance(error, TileInternalError) and not isinstance(error, TileCompilerTimeoutError)
    if is_of_compiler or _are_full():
        return
    seen: set[int] = set()
    next_error: BaseException | None = error
    while next_error is not None and id(next_error) not in seen:
        seen.add(id(next_error))
        next_error.__traceback__ = of_program(next_error.__traceback__)
        next_error = next_error.__cause__ or (None if next_error.__suppress_context__ else next_error.__context__)


def boundary(function: F) -> F:
    """A public function: its errors are trimmed, and have no frame of the function itself either."""
    made: Any = _native.Boundary(function)
    return functools.update_wrapper(made, function)
