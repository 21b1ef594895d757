# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`cuda` means `cpu` in PyTorch: a mode sees every call of its functions.

All memory is the host's, yet a program distinguishes tensors on the host from those on its GPU: a copy from one to the
other is a second tensor. So tensors made for the host are marked, and what is computed of marked tensors
alone; all others are on the GPU as far as the program can see (`device`, `is_cuda`).
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import torch
from torch import overrides
from torch.overrides import TorchFunctionMode

from tilewright.compat import torch_cuda

_CPU = torch.device("cpu")
_HOST = "_tilewright_host"  # the mark


def is_host(tensor: torch.Tensor) -> bool:
    return getattr(tensor, _HOST, False)


def _mark(tensor: Any, host: bool) -> Any:
    if isinstance(tensor, torch.Tensor) and is_host(tensor) != host:
        setattr(tensor, _HOST, host)
    return tensor


def names_cuda(device: Any) -> bool:
    """Whether a `device` argument is a GPU: "cuda:0", torch.device("cuda"), 0."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    return device.startswith("cuda") if isinstance(device, str) else type(device) is int


def _is_device(value: Any) -> bool:
    """Of the first argument of `Tensor.to`, which may be a dtype or a tensor."""
    return isinstance(value, torch.device) or type(value) is int or (isinstance(value, str) and value != "")


def _getters() -> dict[Any, Any]:
    """The value of a property of a tensor, by the function that reads it."""
    gpu = torch.device("cuda", 0)
    says = {
        "device": lambda host: _CPU if host else gpu,
        "is_cuda": lambda host: not host,
        "is_cpu": lambda host: host,
    }
    return {getattr(torch.Tensor, name).__get__: value for name, value in says.items()}


class CudaIsCpu(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.getters = _getters()
        self.default_host = True  # where tensors are made that no device is given for
        tensor = torch.Tensor
        self.special = {
            torch.device: lambda *args, **kwargs: torch.device(*args, **kwargs),
            tensor.cuda: lambda t, *args, **kwargs: self.move(t, False),
            tensor.cpu: lambda t, *args, **kwargs: self.move(t, True),
            tensor.to: self.to,
            tensor.get_device: lambda t: -1 if is_host(t) else 0,
            tensor.pin_memory: lambda t, *args: t,
            tensor.is_pinned: lambda t, *args: is_host(t),
            tensor.record_stream: lambda t, stream: None,
            tensor.data.__set__: self.set_data,
        }

    def __torch_function__(self, function, types, args=(), kwargs=None):
        getter = self.getters.get(function)
        if getter is not None:
            return getter(is_host(args[0]))
        kwargs = kwargs or {}
        special = self.special.get(function)
        if special is not None:
            return special(*args, **kwargs)
        device = kwargs.get("device")
        if device is not None:
            kwargs = kwargs | {"device": _CPU if names_cuda(device) else device}
        if "pin_memory" in kwargs:
            kwargs = kwargs | {"pin_memory": False}
        result = function(*args, **kwargs)
        torch_cuda.note_call(function, args, kwargs, result)
        if not isinstance(result, (torch.Tensor, tuple, list)):
            return result
        if device is not None:
            host = not names_cuda(device)
        else:
            inputs = _tensors(args) or _tensors(kwargs.values())
            if isinstance(result, torch.Tensor) and any(result is t for t in inputs):
                return result  # in place
            host = all(map(is_host, inputs)) if inputs else self.default_host
        for tensor in (result,) if isinstance(result, torch.Tensor) else result:
            _mark(tensor, host)
        return result

    def move(self, tensor: torch.Tensor, host: bool, **options: Any) -> torch.Tensor:
        """A copy, unless the tensor is there."""
        if is_host(tensor) == host and not options:
            return tensor
        copy = options.pop("copy", False) or is_host(tensor) != host
        result = tensor.to("cpu", copy=copy, **options)
        torch_cuda.note_call(torch.Tensor.to, (tensor, "cpu"), {"copy": copy} | options, result)
        return _mark(result, host) if result is not tensor else result

    def set_data(self, tensor: torch.Tensor, data: torch.Tensor) -> None:
        """`p.data = t`, which modules move their parameters by."""
        torch.Tensor.data.__set__(tensor, data)
        _mark(tensor, is_host(data))

    def to(self, tensor: torch.Tensor, *args: Any, **options: Any) -> torch.Tensor:
        host = is_host(tensor)
        device = options.pop("device", None)
        if args and device is None:
            first, *rest = args
            if isinstance(first, torch.Tensor):
                host, args = is_host(first), (first.dtype, *rest)
            elif first is None or _is_device(first):
                device, args = first, tuple(rest)
        if device is not None:
            host = not names_cuda(device)
        for name, value in zip(("dtype", "non_blocking", "copy"), args, strict=False):
            options[name] = value
        options.pop("non_blocking", None)
        return self.move(tensor, host, **{name: value for name, value in options.items() if value is not None})


def _tensors(values: Any) -> list[torch.Tensor]:
    found = []
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found += _tensors(value)
    return found


def _marking_host(function: Any) -> Any:
    """A function that no mode sees, and whose tensors are the host's."""

    def from_host(*args: Any, **kwargs: Any) -> Any:
        return _mark(function(*args, **kwargs), True)

    from_host.__name__ = function.__name__
    return from_host


def _mark_parameters() -> None:
    """A parameter is where its tensor is; no mode sees it made."""
    new = torch.nn.Parameter.__new__

    def new_marked(cls: Any, data: Any = None, requires_grad: bool = True) -> Any:
        return _mark(new(cls, data, requires_grad), data is not None and is_host(data))

    torch.nn.Parameter.__new__ = new_marked


def _generator() -> type:
    original = torch.Generator

    class Kind(type(original)):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, original)

    class Generator(original, metaclass=Kind):
        def __new__(cls, device: Any = "cpu"):
            return original(device=_CPU if names_cuda(device) else device)

    return Generator


def _autocast() -> type:
    class autocast(torch.autocast):
        def __init__(self, device_type: str = "cuda", dtype: Any = None, **options: Any):
            if device_type == "cuda":
                device_type, dtype = "cpu", dtype or torch.float16
            super().__init__(device_type, dtype, **options)

    return autocast


def _call_back_under(mode: CudaIsCpu) -> None:
    """A mode is off while a function that it sees runs: also in what a program has PyTorch call from there, its
    backward functions and custom operators. Threads begin without it."""

    def under(function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if mode in overrides._get_current_function_mode_stack():
                return function(*args, **kwargs)
            with mode:
                return function(*args, **kwargs)

        return call

    backward = torch.autograd.function.BackwardCFunction
    backward.apply = under(backward.apply)
    custom_op = getattr(torch.library, "custom_op", None)  # PyTorch 2.4
    impl = torch.library.Library.impl

    def custom_op_under(name: str, function: Any = None, /, **options: Any) -> Any:
        if function is None:
            return lambda f: custom_op_under(name, f, **options)
        types = options.get("device_types")
        if types is not None:
            types = [types] if isinstance(types, str) else types
            options["device_types"] = list({"cpu" if names_cuda(type) else type for type in types})
        return custom_op(name, under(function), **options)

    def impl_under(self: Any, name: Any, function: Any, key: str = "", **options: Any) -> Any:
        # Gives way to a kernel for the CPU, if the operator has one as well.
        key = "CompositeExplicitAutograd" if key == "CUDA" else key
        return impl(self, name, under(function), key, **options)

    if custom_op is not None:
        torch.library.custom_op = custom_op_under
    torch.library.Library.impl = impl_under
    threading.Thread.run = under(threading.Thread.run)


def _map_defaults(mode: CudaIsCpu) -> None:
    """Functions that keep a device, or read one from a file, before any mode sees it."""
    set_default, load = torch.set_default_device, torch.load

    def set_default_device(device: Any) -> None:
        mode.default_host = device is None or not names_cuda(device)
        set_default(device if mode.default_host else None)

    def load_to_cpu(file: Any, map_location: Any = None, *args: Any, **options: Any) -> Any:
        if map_location is None or isinstance(map_location, (str, torch.device)):
            map_location = _CPU
        return load(file, map_location, *args, **options)

    torch.set_default_device, torch.load = set_default_device, load_to_cpu
    if hasattr(torch, "get_default_device"):  # PyTorch 2.3
        get_default = torch.get_default_device
        torch.get_default_device = lambda: get_default() if mode.default_host else torch.device("cuda", 0)


def map_cuda_to_cpu() -> None:
    """For the rest of the process."""
    torch.from_numpy, torch.frombuffer = _marking_host(torch.from_numpy), _marking_host(torch.frombuffer)
    _mark_parameters()
    torch.Generator = _generator()
    torch.autocast = torch.amp.autocast = torch.amp.autocast_mode.autocast = _autocast()
    torch_cuda.replace_names()
    mode = CudaIsCpu()
    _call_back_under(mode)
    _map_defaults(mode)
    mode.__enter__()
