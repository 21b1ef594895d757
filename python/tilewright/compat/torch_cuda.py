# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of torch.cuda on a machine whose only device is its CPU: streams and events are in order because everything
is, a graph is the list of what was called while it was captured."""

from __future__ import annotations

import contextlib
import time
from types import SimpleNamespace
from typing import Any

import torch

from tilewright import _runtime
from tilewright.compat.pretended_gpu import CAPABILITY, CORES, MEMORY, NAME


class Stream:
    """Work on it is done when the call returns."""

    def __init__(self, device: Any = None, priority: int = 0, **kwargs: Any):
        # Not of the class: a launch would take an object whose class has this for the stream of a GPU.
        self.cuda_stream = 0
        self.device = torch.device("cuda", 0)
        self.device_index = 0
        self.priority = priority

    def synchronize(self) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None: ...

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self is other or self.cuda_stream == other.cuda_stream)

    def __hash__(self) -> int:
        return hash(self.cuda_stream)


class Event:
    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, **_: Any):
        self.enable_timing = enable_timing
        self.seconds: float | None = None

    def record(self, stream: Any = None) -> None:
        self.seconds = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds of wall clock from this event to another."""
        if not (self.enable_timing and end.enable_timing):
            raise ValueError("both events have to be made with enable_timing=True")
        if self.seconds is None or end.seconds is None:
            raise RuntimeError("both events have to be recorded before their time is asked for")
        return (end.seconds - self.seconds) * 1e3

    def synchronize(self) -> None: ...

    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        return True


_capturing: CUDAGraph | None = None


class CUDAGraph:
    """Calls during a capture are executed, and again with each replay into the same tensors."""

    def __init__(self, keep_graph: bool = False):
        self.calls: list[Any] = []

    def capture_begin(self, *args: Any, **kwargs: Any) -> None:
        global _capturing
        if _capturing is not None:
            raise RuntimeError("a graph is captured already; captures do not nest")
        self.calls.clear()
        _capturing = self
        launch = _runtime.launch

        def noted_launch(*of_launch: Any) -> None:
            launch(*of_launch)
            self.calls.append(lambda: launch(*of_launch))

        self.plain_launch, _runtime.launch = launch, noted_launch

    def capture_end(self) -> None:
        global _capturing
        _capturing = None
        _runtime.launch = self.plain_launch

    def replay(self) -> None:
        for call in self.calls:
            call()

    def reset(self) -> None:
        self.calls.clear()

    def instantiate(self) -> None: ...

    def pool(self) -> tuple[int, int]:
        return (0, 0)


@contextlib.contextmanager
def graph(cuda_graph: CUDAGraph, pool: Any = None, stream: Any = None, capture_error_mode: str = "global"):
    cuda_graph.capture_begin()
    try:
        yield
    finally:
        cuda_graph.capture_end()


def note_call(function: Any, args: Any, kwargs: Any, result: Any) -> None:
    """A call of PyTorch; part of the graph that is captured, if one is."""
    if _capturing is None:
        return
    made = [t for t in (result if isinstance(result, (tuple, list)) else (result,)) if isinstance(t, torch.Tensor)]
    inputs = [t for t in (*args, *kwargs.values()) if isinstance(t, torch.Tensor)]
    storages = {t.untyped_storage().data_ptr() for t in inputs}
    # A view shows what is written to what it views.
    made = [t for t in made if t.untyped_storage().data_ptr() not in storages]
    if not made and not inputs:
        return

    def again() -> None:
        with torch._C.DisableTorchFunction():
            results = function(*args, **kwargs)
            results = results if isinstance(results, (tuple, list)) else (results,)
            for old, new in zip(made, (t for t in results if isinstance(t, torch.Tensor)), strict=False):
                old.copy_(new)

    _capturing.calls.append(again)


@contextlib.contextmanager
def _nothing(*args: Any, **kwargs: Any):
    yield


def _properties(device: Any = None) -> SimpleNamespace:
    return SimpleNamespace(
        name=NAME,
        major=CAPABILITY[0],
        minor=CAPABILITY[1],
        total_memory=MEMORY,
        multi_processor_count=CORES,
        warp_size=32,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=48 << 10,
        shared_memory_per_block_optin=227 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        L2_cache_size=32 << 20,
        is_integrated=False,
        is_multi_gpu_board=False,
        gcnArchName="",
        clock_rate=0,
        memory_clock_rate=0,
        memory_bus_width=0,
    )


class _Device(contextlib.ContextDecorator):
    """`with torch.cuda.device(0):`"""

    def __init__(self, device: Any = None):
        self.idx = 0

    def __enter__(self) -> None: ...

    def __exit__(self, *error: Any) -> None: ...


_STREAM = Stream()

_NAMES: dict[str, Any] = {
    "Stream": Stream,
    "ExternalStream": Stream,
    "Event": Event,
    "CUDAGraph": CUDAGraph,
    "graph": graph,
    "device": _Device,
    "device_of": _Device,
    "is_available": lambda: True,
    "is_initialized": lambda: True,
    "init": lambda: None,
    "is_bf16_supported": lambda *args, **kwargs: True,
    "is_current_stream_capturing": lambda: _capturing is not None,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
    "set_device": lambda device: None,
    "get_device_name": lambda device=None: NAME,
    "get_device_properties": _properties,
    "get_device_capability": lambda device=None: CAPABILITY,
    "get_arch_list": lambda: [f"sm_{CAPABILITY[0]}{CAPABILITY[1]}"],
    "synchronize": lambda device=None: None,
    "current_stream": lambda device=None: _STREAM,
    "default_stream": lambda device=None: _STREAM,
    "set_stream": lambda stream: None,
    "stream": _nothing,
    "graph_pool_handle": lambda: (0, 0),
    "empty_cache": lambda: None,
    "ipc_collect": lambda: None,
    "memory_allocated": lambda device=None: 0,
    "max_memory_allocated": lambda device=None: 0,
    "memory_reserved": lambda device=None: 0,
    "max_memory_reserved": lambda device=None: 0,
    "reset_peak_memory_stats": lambda device=None: None,
    "reset_max_memory_allocated": lambda device=None: None,
    "mem_get_info": lambda device=None: (MEMORY, MEMORY),
    "memory_stats": lambda device=None: {},
    "memory_summary": lambda device=None, abbreviated=False: "",
    "manual_seed": torch.default_generator.manual_seed,
    "manual_seed_all": torch.default_generator.manual_seed,
    "seed": torch.default_generator.seed,
    "initial_seed": torch.default_generator.initial_seed,
    "get_rng_state": lambda device=None: torch.get_rng_state(),
    "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
    "can_device_access_peer": lambda device, peer: False,
    "utilization": lambda device=None: 0,
    "_lazy_init": lambda: None,
}

# Types of tensors by their old names.
_NAMES |= {
    name: getattr(torch, name)
    for name in (f"{kind}Tensor" for kind in "Float Double Half BFloat16 Long Int Short Char Byte Bool".split())
}

_ACCELERATOR: dict[str, Any] = {
    "is_available": lambda: True,
    "device_count": lambda: 1,
    "current_accelerator": lambda check_available=False: torch.device("cuda"),
    "current_device_index": lambda: 0,
    "set_device_index": lambda device: None,
    "current_stream": lambda device=None: _STREAM,
    "set_stream": lambda stream: None,
    "synchronize": lambda device=None: None,
    "empty_cache": lambda: None,
}

_RANGES = {"range_push": lambda message: 0, "range_pop": lambda: 0, "mark": lambda message: None, "range": _nothing}


def replace_names() -> None:
    for name, value in _NAMES.items():
        setattr(torch.cuda, name, value)
    if hasattr(torch, "accelerator"):  # PyTorch 2.6
        for name, value in _ACCELERATOR.items():
            setattr(torch.accelerator, name, value)
    for name, value in _RANGES.items():
        setattr(torch.cuda.nvtx, name, value)
    torch.cuda.amp.autocast = lambda *args, **kwargs: torch.autocast("cuda", *args, **kwargs)
    torch.Stream, torch.Event = Stream, Event
    if torch.version.cuda is None:
        torch.version.cuda = "13.0"
