# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of several configurations of a kernel is the fastest. Source compatible with ``cuda.tile.tune``. Since 0.1.

Launches on a GPU are timed by events of its driver, so that neither Python nor the launch counts; launches on the CPU
by the clock, from call to return. Compiling is not timed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tilewright._runtime.tracebacks import boundary
from tilewright.errors import TileLaunchTimeoutError
from tilewright.kernel import kernel as Kernel

__all__ = ["Measurement", "TileLaunchTimeoutError", "TuningResult", "exhaustive_search"]

T = TypeVar("T")

_WARM_UPS = 2
_BATCH = 5  # samples of a configuration in a row
_MOST_SAMPLES = 1000
_MOST_SECONDS = 5.0  # of one configuration
_RELATIVE_MARGIN, _MARGIN_US = 0.01, 0.5  # either is precise enough
_STANDARD_ERRORS = 1.96  # at each side of a mean: 95 %


@dataclass(frozen=True, kw_only=True)
class Measurement(Generic[T]):
    """How long a launch takes with one configuration."""

    config: T
    """The configuration."""
    mean_us: float
    """Mean time of a launch, in microseconds."""
    num_samples: int
    """Launches that were timed."""
    error_margin_us: float
    """Half the width of the 95 % confidence interval of the mean, in microseconds."""


@dataclass(frozen=True, kw_only=True)
class TuningResult(Generic[T]):
    """The result of a search."""

    best: Measurement[T]
    """The configuration with the least mean."""
    successes: Sequence[Measurement[T]]
    """Every configuration that ran."""
    failures: Sequence[tuple[T, type[BaseException], str]]
    """Every configuration that did not, with the class and the message of the exception."""

    def summary(self, *, top_k: int = 10, bottom_k: int = 2) -> str:
        """The ``top_k`` fastest and ``bottom_k`` slowest configurations, a line each, and ``top_k`` failures."""
        ranked = sorted(self.successes, key=lambda m: m.mean_us)
        hidden = ranked[top_k : max(top_k, len(ranked) - bottom_k)]
        shown = ranked if len(hidden) <= 1 else [m for m in ranked if not any(m is h for h in hidden)]
        width = max((len(str(m.config)) for m in shown), default=0)
        lines = [f"{len(self.successes)} succeeded, {len(self.failures)} failed"]
        for i, m in enumerate(shown):
            if i == top_k and len(shown) < len(ranked):
                lines.append(f"    ... {len(hidden)} more ...")
            star = "*" if m is self.best or m == self.best else " "
            lines.append(
                f"{star} {m.config!s:<{width}}  {m.mean_us:10.1f} \u00b1 {m.error_margin_us:.1f} us"
                f" ({m.num_samples} samples)"
            )
        for config, kind, message in self.failures[:top_k]:
            lines.append(f"! {config}  {kind.__name__}: {(message.splitlines() or [''])[0]}")
        if len(self.failures) > top_k:
            lines.append(f"    ... {len(self.failures) - top_k} more failed ...")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from tilewright._tools.display.plans import of_tuning

        return of_tuning(self)


class _Candidate(Generic[T]):
    """A configuration and its samples so far."""

    def __init__(self, config: T, kernel: Kernel, grid: Any, arguments: Callable[[], tuple[Any, ...]], stream: Any):
        from tilewright._runtime.dispatch import launcher_of

        self.config = config
        self.grid = grid
        self.arguments = arguments
        self.stream = stream
        self.name = kernel.__name__
        self.launcher = launcher_of(kernel)
        self.count, self.mean, self.squares = 0, 0.0, 0.0  # in microseconds

    def warm_up(self, limit: float | None, flush_l2: bool) -> None:
        from tilewright._runtime.trial import run_in_child

        is_on_gpu = self.launcher.prepare(self.arguments(), self.stream, self.grid)
        if limit is not None and not is_on_gpu:
            run_in_child(lambda: self.launcher(self.grid, self.arguments(), self.stream), self.name, limit)
        for _ in range(_WARM_UPS):
            self._launch(flush_l2, limit or 0.0)

    def _launch(self, flush_l2: bool, limit: float = 0.0) -> float:
        seconds = self.launcher.time(self.grid, self.arguments(), self.stream, flush_l2, limit)
        if seconds is None:
            raise _StillRunning(
                f"{self.name} with {self.config} has run for {limit:g} s, which is the limit, and still does: the GPU"
                " cannot be taken from it, and the search ends"
            )
        return seconds

    def sample(self, flush_l2: bool) -> None:
        for _ in range(min(_BATCH, _MOST_SAMPLES - self.count)):
            elapsed = 1e6 * self._launch(flush_l2)
            self.count += 1
            before = elapsed - self.mean
            self.mean += before / self.count
            self.squares += before * (elapsed - self.mean)

    @property
    def margin(self) -> float:
        if self.count < 2:
            return math.inf
        return _STANDARD_ERRORS * math.sqrt(self.squares / (self.count - 1) / self.count)

    @property
    def is_settled(self) -> bool:
        return (
            self.margin <= max(_RELATIVE_MARGIN * self.mean, _MARGIN_US)
            or self.count >= _MOST_SAMPLES
            or self.count * self.mean > 1e6 * _MOST_SECONDS
        )

    def measurement(self) -> Measurement[T]:
        return Measurement(config=self.config, mean_us=self.mean, num_samples=self.count, error_margin_us=self.margin)


class _StillRunning(TileLaunchTimeoutError):
    """Unlike other failures of a configuration, it leaves nothing to measure the next one on."""


class _Progress:
    """A line on stderr, if that is a terminal."""

    def __init__(self, quiet: bool, total: int):
        self.is_shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self.total = total

    def show(self, what: str, done: int, failed: int) -> None:
        if self.is_shown:
            width = 24
            bar = ("#" * (width * done // max(1, self.total))).ljust(width)
            text = f"\r[{bar}] {done}/{self.total} {what}, {failed} failed\033[K"
            print(text, end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class _Search(Generic[T]):
    """The candidates that run, and the configurations that failed."""

    def __init__(self, total: int, quiet: bool, flush_l2: bool):
        self.candidates: list[_Candidate[T]] = []
        self.failures: list[tuple[T, type[BaseException], str]] = []
        self.progress = _Progress(quiet, total)
        self.flush_l2 = flush_l2

    def begin(self, candidates: Iterable[_Candidate[T]], limit: float | None) -> None:
        """Compile each and run it a few times."""
        for i, candidate in enumerate(candidates):
            self.progress.show("compiled and run", i, len(self.failures))
            is_warm = self._attempt(candidate, lambda c=candidate: c.warm_up(limit, self.flush_l2))
            if is_warm and self._sample(candidate):
                self.candidates.append(candidate)

    def settle(self) -> None:
        """Sample those that may be the best until their means are known."""
        while self.candidates:
            # The least upper bound of a mean: a candidate whose lower bound is above it is slower for sure.
            bound = min(c.mean + c.margin for c in self.candidates)
            open_ones = [c for c in self.candidates if not c.is_settled and c.mean - c.margin <= bound]
            self.progress.show("settled", len(self.candidates) - len(open_ones), len(self.failures))
            if not open_ones:
                break
            for candidate in open_ones:
                if not self._sample(candidate):
                    self.candidates.remove(candidate)

    def _sample(self, candidate: _Candidate[T]) -> bool:
        return self._attempt(candidate, lambda: candidate.sample(self.flush_l2))

    def _attempt(self, candidate: _Candidate[T], work: Callable[[], None]) -> bool:
        """Whether `work` succeeds; else the candidate is among the failures."""
        try:
            work()
        except _StillRunning:
            raise
        except Exception as error:
            self.failures.append((candidate.config, type(error), str(error)))
            return False
        return True

    def result(self) -> TuningResult[T]:
        if not self.candidates:
            config, kind, message = self.failures[0]
            raise ValueError(
                f"none of {len(self.failures)} configurations runs; the first, {config}: {kind.__name__}: {message}"
            )
        successes = tuple(candidate.measurement() for candidate in self.candidates)
        best = min(successes, key=lambda m: m.mean_us)
        return TuningResult(best=best, successes=successes, failures=tuple(self.failures))


@boundary
def exhaustive_search(
    search_space: Sequence[T],
    stream: Any,
    grid_fn: Callable[[T], tuple[int, ...]],
    kernel: Kernel | Callable[[T], Kernel],
    args_fn: Callable[[T], tuple[Any, ...]],
    hints_fn: Callable[[T], dict[str, Any]] | None = None,
    *,
    quiet: bool = False,
    single_run_timeout_sec: float | None = None,
    flush_l2: bool = True,
) -> TuningResult[T]:
    """Run every configuration of ``search_space`` and say how long each takes.

    For a configuration, ``grid_fn`` gives the grid, ``args_fn`` the arguments of a launch (it is called for each, and
    not timed, so that it may copy arrays which the kernel changes), ``hints_fn`` the hints of the kernel; ``kernel`` is
    one, or a function that gives it. ``stream`` is that of `launch`.

    Each configuration is sampled until the margin of its mean is at most 1 % or 0.5 us, as long as it may still be the
    best; what is slower for sure gets five samples. One that raises, when compiled or launched, is among the failures;
    if all do, ValueError has the first.

    ``single_run_timeout_sec`` is the limit of one launch. On the CPU each configuration is launched in a child process
    first, which is ended at the limit, and it counts as failed. A GPU cannot be taken from a kernel: there the search
    ends with `TileLaunchTimeoutError`.

    ``flush_l2`` has each launch on a GPU begin with none of its arrays in the L2 cache; the CPU's caches are left
    alone. Unless ``quiet``, a terminal on stderr shows the progress, and the summary is printed.
    """
    configurations = list(search_space)
    if not configurations:
        raise ValueError("the search space is empty, expected one configuration or more")

    def candidate_of(config: T) -> _Candidate[T]:
        base = kernel if isinstance(kernel, Kernel) else kernel(config)
        hints = hints_fn(config) if hints_fn is not None else {}
        variant = base.replace_hints(**hints) if hints else base
        return _Candidate(config, variant, grid_fn(config), lambda: tuple(args_fn(config)), stream)

    search: _Search[T] = _Search(len(configurations), quiet, flush_l2)
    try:
        search.begin(map(candidate_of, configurations), single_run_timeout_sec)
        search.settle()
    finally:
        search.progress.clear()
    result = search.result()
    if not quiet:
        print(result)
    return result
