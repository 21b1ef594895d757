# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands in for CuPy where it is not installed: its arrays are NumPy's, with the few methods that only CuPy's have."""

from __future__ import annotations

import sys
import time
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from tilewright.compat.pretended_gpu import CAPABILITY, CORES, MEMORY, NAME

__version__ = "13.0.0"


class ndarray(np.ndarray):
    """An array of NumPy with what programs call on CuPy's."""

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> np.ndarray:
        """A copy in NumPy's own type."""
        if out is None:
            return np.array(self, order=order, subok=False)
        out[...] = self
        return out

    def set(self, values: np.ndarray, stream: Any = None) -> None:
        self[...] = values

    @property
    def device(self) -> Any:
        return cuda.Device(0)


def _ours(value: Any) -> Any:
    """The result of NumPy, as CuPy returns it."""
    if isinstance(value, np.ndarray):
        return value.view(ndarray)
    if isinstance(value, np.generic):
        return np.asarray(value).view(ndarray)
    return tuple(map(_ours, value)) if isinstance(value, tuple) else value


def _wrapped(function: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return _ours(function(*args, **kwargs))

    call.__name__ = getattr(function, "__name__", "call")
    return call


class _Module(ModuleType):
    """A module of NumPy whose functions return CuPy's arrays; what it does not have is an AttributeError."""

    def __init__(self, name: str, source: Any, names: dict[str, Any]):
        super().__init__(name)
        self.source = source
        self.__dict__.update(names)
        sys.modules[name] = self

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.source, name, None)
        if value is None:
            raise AttributeError(f"{self.__name__}.{name}: tilewright.compat's stand-in for CuPy does not have it")
        is_function = callable(value) and not isinstance(value, type)
        return _wrapped(value) if is_function else value


def __getattr__(name: str) -> Any:
    value = getattr(np, name, None)
    if value is None or name.startswith("__"):
        raise AttributeError(f"cupy.{name}: tilewright.compat's stand-in for CuPy does not have it")
    is_function = callable(value) and not isinstance(value, type)
    return _wrapped(value) if is_function else value


def asnumpy(array: Any, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> np.ndarray:
    """A copy in NumPy's own type."""
    if out is None:
        return np.array(array, order=order, subok=False)
    out[...] = array
    return out


def asarray(array: Any, dtype: Any = None, order: Any = None, **_: Any) -> ndarray:
    """An array of CuPy as it is; of anything else a copy, as it comes from the host."""
    if isinstance(array, ndarray):
        return np.asanyarray(array, dtype=dtype, order=order)
    return np.array(array, dtype=dtype, order=order).view(ndarray)


def get_default_memory_pool() -> Any:
    return SimpleNamespace(free_all_blocks=lambda: None, used_bytes=lambda: 0, total_bytes=lambda: 0)


def get_array_module(*args: Any) -> Any:
    return sys.modules[__name__] if any(isinstance(a, ndarray) for a in args) else np


def from_dlpack(array: Any) -> ndarray:
    return np.from_dlpack(array).view(ndarray)


class _Stream:
    null: _Stream

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False):
        # Not of the class: a launch would take an object whose class has this for the stream of a GPU.
        self.ptr = 0

    def use(self) -> _Stream:
        return self

    def synchronize(self) -> None: ...

    def record(self, event: Any = None) -> Any:
        event = event or _Event()
        event.record(self)
        return event

    def wait_event(self, event: Any) -> None: ...

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *error: Any) -> None: ...


_Stream.null = _Stream(null=True)


class _Event:
    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False):
        self.seconds: float | None = None

    def record(self, stream: Any = None) -> None:
        self.seconds = time.perf_counter()

    def synchronize(self) -> None: ...


class _Device:
    def __init__(self, device: int = 0):
        self.id = device

    def use(self) -> None: ...

    def synchronize(self) -> None: ...

    @property
    def compute_capability(self) -> str:
        return "".join(map(str, CAPABILITY))

    def __enter__(self) -> _Device:
        return self

    def __exit__(self, *error: Any) -> None: ...

    def __int__(self) -> int:
        return self.id


_RUNTIME = {
    "deviceSynchronize": lambda: None,
    "streamSynchronize": lambda stream: None,
    "getDeviceCount": lambda: 1,
    "getDevice": lambda: 0,
    "setDevice": lambda device: None,
    "getDeviceProperties": lambda device: {
        "name": NAME.encode(),
        "major": CAPABILITY[0],
        "minor": CAPABILITY[1],
        "multiProcessorCount": CORES,
        "totalGlobalMem": MEMORY,
    },
    "runtimeGetVersion": lambda: 13000,
    "driverGetVersion": lambda: 13000,
}

runtime = _Module("cupy.cuda.runtime", SimpleNamespace(), _RUNTIME)
cuda = _Module(
    "cupy.cuda",
    SimpleNamespace(),
    {
        "Stream": _Stream,
        "Event": _Event,
        "Device": _Device,
        "runtime": runtime,
        "is_available": lambda: True,
        "get_current_stream": lambda device=None: _Stream.null,
        "get_elapsed_time": lambda start, end: (end.seconds - start.seconds) * 1e3,
        "stream": SimpleNamespace(Stream=_Stream, get_current_stream=lambda device=None: _Stream.null),
        "nvtx": SimpleNamespace(RangePush=lambda message: None, RangePop=lambda: None),
    },
)


class _Generator:
    """The numbers that a generator of NumPy draws, as CuPy's arrays, in float32 where it is asked for."""

    def __init__(self, seed: Any = None):
        self.source = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.source, name)

        def draw(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
            try:
                return _ours(function(*args, **kwargs, **({} if dtype is None else {"dtype": dtype})))
            except TypeError:
                return _ours(np.asarray(function(*args, **kwargs)).astype(dtype))

        return draw


def _legacy(name: str) -> Any:
    """A function of numpy.random, which unlike CuPy's take no dtype."""
    function = getattr(np.random, name)

    def draw(*args: Any, dtype: Any = None, **kwargs: Any) -> Any:
        drawn = _ours(function(*args, **kwargs))
        return drawn if dtype is None else drawn.astype(dtype)

    return draw


random = _Module(
    "cupy.random",
    np.random,
    {"default_rng": _Generator}
    | {name: _legacy(name) for name in ("rand", "randn", "random", "normal", "uniform", "standard_normal")},
)
linalg = _Module("cupy.linalg", np.linalg, {})
fft = _Module("cupy.fft", np.fft, {})
testing = _Module("cupy.testing", np.testing, {})
