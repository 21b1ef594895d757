# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning at the first launch. Source compatible with the package ``cuda.tile_experimental``. Since 0.1."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tilewright.kernel import kernel as Kernel
from tilewright.kernel import launch
from tilewright.limits import compiler_timeout
from tilewright.tune import exhaustive_search

__all__ = ["TunedResult", "autotune_launch", "clear_autotune_cache"]

_MOST_CONFIGURATIONS = 100_000  # that are drawn from

_lock = threading.Lock()
_tuned: dict[Kernel, dict[Any, TunedResult]] = {}


@dataclass(frozen=True)
class TunedResult:
    """The launch that `autotune_launch` chose."""

    tuned_config: Any
    """The configuration."""
    grid: tuple[int, ...]
    """The grid of it."""
    kernel: Kernel
    """The kernel with the hints of it."""
    tuning_record: tuple[tuple[Any, float], ...]
    """Each configuration that ran, and the mean time of a launch in milliseconds."""
    cache_hit: bool
    """Whether it was found by an earlier call."""


def autotune_launch(
    stream: Any,
    grid_fn: Callable[[Any], tuple[int, ...]],
    kernel: Kernel,
    args_fn: Callable[[Any], tuple[Any, ...]],
    launch_args_fn: Callable[[Any], tuple[Any, ...]] | None = None,
    hints_fn: Callable[[Any], dict[str, Any]] | None = None,
    *,
    search_space: Iterable[Any] | Callable[[], Iterable[Any]],
    key: Any | None = None,
    max_iter: int = 60,
    compiler_time_limit_sec: int = 10,
    seed: int | None = None,
    force_retune: bool = False,
) -> TunedResult:
    """Launch ``kernel`` with the fastest configuration of ``search_space``.

    It is searched for, among at most ``max_iter`` that are drawn at random (``seed``), at the first call with this
    kernel and ``key``, or with ``force_retune``; later calls launch what was found. Without ``key``, arrays count by
    shape and dtype and other arguments by type. Each configuration may take ``compiler_time_limit_sec`` to compile.
    ``args_fn`` gives the arguments of trials, ``launch_args_fn``, else ``args_fn`` too, those of the launch; the other
    functions are those of `tilewright.tune.exhaustive_search`. ValueError if no configuration runs.
    """
    configurations = _sample(search_space() if callable(search_space) else search_space, max_iter, seed)
    if not configurations:
        raise ValueError("the search space is empty, expected one configuration or more")
    if key is None:
        key = tuple(_kind(argument) for argument in args_fn(configurations[0]))
    with _lock:
        result = None if force_retune else _tuned.get(kernel, {}).get(key)
        is_hit = result is not None
        if result is None:
            with compiler_timeout(compiler_time_limit_sec):
                found = exhaustive_search(
                    configurations, stream, grid_fn, kernel, args_fn, hints_fn, quiet=True, flush_l2=False
                )
            best = found.best.config
            result = TunedResult(
                best,
                tuple(grid_fn(best)),
                kernel.replace_hints(**hints_fn(best)) if hints_fn is not None else kernel,
                tuple((m.config, 1e-3 * m.mean_us) for m in found.successes),
                cache_hit=True,
            )
            _tuned.setdefault(kernel, {})[key] = result
    config = result.tuned_config
    launch(stream, result.grid, result.kernel, tuple((launch_args_fn or args_fn)(config)))
    return TunedResult(config, result.grid, result.kernel, result.tuning_record, cache_hit=is_hit)


def clear_autotune_cache(kernel: Kernel | None = None, key: Any | None = None) -> None:
    """Forget what was found for ``kernel`` and ``key``; None is all of them."""
    with _lock:
        for k in [kernel] if kernel is not None else list(_tuned):
            if key is None:
                _tuned.pop(k, None)
            else:
                _tuned.get(k, {}).pop(key, None)


def _sample(items: Iterable[Any], count: int, seed: int | None) -> list[Any]:
    """At most so many of the items, each with the same chance, in their order."""
    listed = list(islice(items, _MOST_CONFIGURATIONS))
    if len(listed) <= count:
        return listed
    return [listed[i] for i in sorted(random.Random(seed).sample(range(len(listed)), count))]


def _kind(argument: Any) -> Any:
    shape, dtype = getattr(argument, "shape", None), getattr(argument, "dtype", None)
    if shape is not None and dtype is not None:
        return tuple(shape), str(dtype)
    if isinstance(argument, (tuple, list)):
        return type(argument), *map(_kind, argument)
    return type(argument)
