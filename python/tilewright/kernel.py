# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels: the decorator, its hints, and launching. All since 0.1."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union, overload

from tilewright import _runtime
from tilewright._frontend.parameters import read_parameters
from tilewright._frontend.signature import Parameter
from tilewright._intrinsic import active_tracer
from tilewright._runtime.tracebacks import boundary
from tilewright.errors import TileHostCallError

if TYPE_CHECKING:
    from tilewright._frontend.batch import Batch

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
_HINT_RANGES = {"num_ctas": (1, 16, True), "occupancy": (1, 32, False), "opt_level": (0, 3, False),
                "num_worker_warps": (1, 32, True)}  # fmt: skip


class _Unspecified:
    def __repr__(self) -> str:
        return "UNSPECIFIED"

    def __reduce__(self) -> str:
        return "UNSPECIFIED"


UNSPECIFIED = _Unspecified()
"""The default of a `ByTarget` that has none: the hint is what it is without a value. None is a value."""


class ByTarget(Generic[T]):
    """A hint that depends on the architecture: ``ByTarget(default=2, sm_100=4)``."""

    def __init__(self, *, default: T | _Unspecified = UNSPECIFIED, **value_by_target: T):
        for name in value_by_target:
            if not (name.startswith("sm_") and name[3:].isdigit()) and not name.startswith("cpu"):
                raise ValueError(f"unknown target {name!r}; expected sm_<number>, for example sm_100")
        self.default = default
        self.by_target = value_by_target

    def __repr__(self) -> str:
        entries = [f"{name}={value!r}" for name, value in self.by_target.items()]
        if self.default is not UNSPECIFIED:
            entries.append(f"default={self.default!r}")
        return f"ByTarget({', '.join(entries)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByTarget) and (self.default, self.by_target) == (other.default, other.by_target)

    def __hash__(self) -> int:
        return hash((self.default, tuple(self.by_target.items())))


Hint = Union[None, int, ByTarget]  # noqa: UP007


def _check_names(hints: dict[str, Any]) -> None:
    for name in hints:
        if name not in _HINT_RANGES:
            raise TypeError(f"unknown hint {name!r}; expected one of {', '.join(_HINT_RANGES)}")


def _check_hint(name: str, value: Any) -> None:
    values = [value.default, *value.by_target.values()] if isinstance(value, ByTarget) else [value]
    low, high, power_of_two = _HINT_RANGES[name]
    for v in values:
        if v is None or v is UNSPECIFIED:
            continue
        if not isinstance(v, int) or isinstance(v, bool) or not low <= v <= high or (power_of_two and v & (v - 1)):
            what = "a power of two" if power_of_two else "an integer"
            kind = ValueError if isinstance(v, int) else TypeError
            raise kind(f"{name}={v!r}: expected {what} from {low} to {high}, or None")


class kernel:
    """Marks a Python function as a tile kernel: a program that each block of a grid runs.

    ``@kernel`` or ``@kernel(num_ctas=..., occupancy=..., opt_level=..., num_worker_warps=...)``. Hints: ``num_ctas``
    per cluster (power of two, 1 to 16), ``occupancy`` (1 to 32 blocks per SM), ``opt_level`` (0 to 3),
    ``num_worker_warps`` (power of two, 1 to 32); each may be a `ByTarget`. Results never depend on a hint.

    A kernel is started with `launch`, or with ``kernel[grid](*args)``. It is compiled for each new combination of
    argument dtypes, ranks, contiguity and divisibility, and for each value of a ``Constant`` parameter.

    >>> @ct.kernel
    ... def double(x):
    ...     tile = ct.load(x, index=ct.bid(0), shape=(4,))
    ...     ct.store(x, index=ct.bid(0), tile=tile * 2)
    >>> x = np.arange(6)
    >>> double[2](x)
    >>> x
    array([ 0,  2,  4,  6,  8, 10])
    """

    if TYPE_CHECKING:
        __name__: str
        __qualname__: str

    @overload
    def __new__(cls, function: Callable[..., Any], /, **hints: Hint) -> kernel: ...

    @overload
    def __new__(cls, function: None = None, /, **hints: Hint) -> Callable[[Callable[..., Any]], kernel]: ...

    def __new__(cls, function: Any = None, /, **kwargs: Any) -> Any:
        if function is None:
            _check_names(kwargs)
            return functools.partial(cls, **kwargs)
        return super().__new__(cls)

    def __init__(
        self,
        function: Callable | None = None,
        /,
        *,
        num_ctas: Hint = None,
        occupancy: Hint = None,
        opt_level: Hint = 3,
        num_worker_warps: Hint = None,
    ):
        if not isinstance(function, FunctionType):
            raise TypeError(f"@kernel marks a Python function, not {type(function).__name__}")
        self.function = function
        self.hints = {
            "num_ctas": num_ctas,
            "occupancy": occupancy,
            "opt_level": opt_level,
            "num_worker_warps": num_worker_warps,
        }
        for name, value in self.hints.items():
            _check_hint(name, value)
        self.decisions: dict[str, Any] = {}  # of a `schedule`
        self.batch: Batch | None = None  # of a kernel over a batch
        self.parameters: tuple[Parameter, ...] = read_parameters(function)
        self._compiled: dict[tuple, str] = {}  # specializations, with the target of each
        functools.update_wrapper(self, function)

    def replace_hints(self, **hints: Any) -> kernel:
        """A new kernel of the same function with these hints changed; it compiles on its own."""
        _check_names(hints)
        made = kernel(self.function, **(self.hints | hints))
        made.decisions = dict(self.decisions)
        return made

    def __getitem__(self, grid) -> Callable[..., None]:
        """``kernel[grid](*args)`` launches on the default stream."""
        return functools.partial(start, self, grid)

    def __call__(self, *args: Any, **kwargs: Any):
        raise TypeError(f"{self.__name__} is a kernel: start it with launch(stream, grid, {self.__name__}, args)"
                        f" or {self.__name__}[grid](...)")  # fmt: skip

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"

    def _repr_html_(self) -> str:
        from tilewright._tools.display.kernels import of_kernel

        return of_kernel(self)

    def _make_launcher(self) -> Any:
        from tilewright._runtime.dispatch import make_launcher

        return make_launcher(self)

    @property
    def signature(self) -> inspect.Signature:
        """The Python signature of the function."""
        return inspect.signature(self.function)


@overload
def function(func: F, /, *, host: bool = False, tile: bool = True) -> F: ...


@overload
def function(func: None = None, /, *, host: bool = False, tile: bool = True) -> Callable[[F], F]: ...


def function(func: Any = None, /, *, host: bool = False, tile: bool = True) -> Any:
    """Says where a helper may be called: in tile code (default), with ``host=True`` on the host too, and with
    ``tile=False`` only there. Helpers without this mark may be called from anywhere."""
    if func is None:
        return lambda f: function(f, host=host, tile=tile)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        if not host and active_tracer.get() is None:
            raise TileHostCallError(
                f"{func.__qualname__}() is a tile function: call it from a kernel, or mark it host=True"
            )
        return func(*args, **kwargs)

    wrapper.__tilewright_tile__ = tile
    return wrapper


@boundary
def launch(
    stream: Any, grid: Any, kernel: kernel, kernel_args: Any, /, *, programmatic_dependent_launch: bool = False
) -> None:
    """Run ``kernel`` over ``grid`` (one to three positive extents, or an int) with the tuple ``kernel_args``.

    Arrays are NumPy arrays, PyTorch tensors, CuPy and JAX arrays, or any object with DLPack, ``__array_interface__`` or
    ``__cuda_array_interface__``, all in host memory or all on one GPU; numbers are Python bool, int (int32, or int64 if
    annotated) and float (float32).

    Arrays on a GPU are worked on there: the launch is put on ``stream`` and comes back at once. ``stream`` is a stream
    of PyTorch, CuPy or cuda-core, an object with ``__cuda_stream__``, or the driver's handle as a number; None is the
    stream that the arrays' framework works on. Otherwise the launch returns when the work is done, and ``stream`` is
    ignored. With ``programmatic_dependent_launch`` a GPU of compute capability 9.0 or newer may begin before the kernel
    ahead of it on the stream has ended: see `grid_dependency_control_wait`."""
    _runtime.launch(kernel, grid, kernel_args, stream, programmatic_dependent_launch)


@boundary
def start(kernel: Any, grid: Any, *args: Any) -> None:
    """The call of ``kernel[grid]``."""
    _runtime.launch(kernel, grid, args, None, False)


@boundary
def synchronize() -> None:
    """Wait for all launches on GPUs. The output of their kernels appears, and an assert that failed or an access that
    is not allowed is raised. Launches on the CPU are done when they return."""
    from tilewright import _native

    _native.synchronize()
