# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A handler of XLA's foreign function interface: a call of a compiled program becomes a launch.

XLA calls a C function with a frame: the buffers of operands and results, attributes, and a table of its own functions.
The structures are declared here as the interface has them (xla/ffi/api/c_api.h, version 0; every structure begins with
its size, and fields are only ever added at the end), so that nothing of XLA is needed to build or import.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np

_METADATA = 1  # an extension of the frame that asks what the handler is
_EXECUTE = 3  # the stage that runs
_BUFFER = 1
_STRING = 4
_VERSION = (0, 1)  # of the interface, the oldest one with the members used here
_INTERNAL = 13  # error code

# Elements by XLA's number: the name of the dtype in NumPy and ml_dtypes.
_DTYPES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 16: "bfloat16", 19: "float8_e5m2", 20: "float8_e4m3fn",
    33: "float8_e8m0fnu",
}  # fmt: skip


def _structure(name: str, *fields: tuple[str, Any]) -> type[ctypes.Structure]:
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


_HEAD = (("struct_size", c_size_t), ("extension", c_void_p))
Span = _structure("Span", ("data", c_void_p), ("size", c_size_t))
Buffer = _structure(
    "Buffer", *_HEAD, ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64))
)
Values = _structure("Values", *_HEAD, ("size", c_int64), ("types", POINTER(c_int)), ("values", POINTER(c_void_p)))
Attributes = _structure(
    "Attributes",
    *_HEAD,
    ("size", c_int64),
    ("types", POINTER(c_int)),
    ("names", POINTER(POINTER(Span))),
    ("values", POINTER(c_void_p)),
)
ApiVersion = _structure("ApiVersion", *_HEAD, ("major", c_int), ("minor", c_int))
Metadata = _structure("Metadata", ("struct_size", c_size_t), ("version", ApiVersion), ("traits", c_uint32))
Extension = _structure(
    "Extension", ("struct_size", c_size_t), ("kind", c_int), ("next", c_void_p), ("metadata", POINTER(Metadata))
)
ErrorCreate = _structure("ErrorCreate", *_HEAD, ("message", c_char_p), ("code", c_int))
StreamGet = _structure("StreamGet", *_HEAD, ("context", c_void_p), ("stream", c_void_p))
_CREATE = ctypes.CFUNCTYPE(c_void_p, POINTER(ErrorCreate))
_STREAM = ctypes.CFUNCTYPE(c_void_p, POINTER(StreamGet))
Api = _structure(
    "Api",
    *_HEAD,
    ("version", ApiVersion),
    ("internal", c_void_p),
    ("error_create", _CREATE),
    ("get_message", c_void_p),
    ("destroy", c_void_p),
    ("register", c_void_p),
    ("stream_get", _STREAM),
)
Frame = _structure(
    "Frame",
    *_HEAD,
    ("api", POINTER(Api)),
    ("context", c_void_p),
    ("stage", c_int),
    ("arguments", Values),
    ("results", Values),
    ("attributes", Attributes),
)
HANDLER = ctypes.CFUNCTYPE(c_void_p, POINTER(Frame))


class DeviceArray:
    """Memory of a GPU, row by row."""

    def __init__(self, address: int, shape: tuple[int, ...], dtype: np.dtype, is_written: bool):
        # NumPy has no letter for bfloat16 and 8-bit floats, for which launches take the name.
        typestr = dtype.str if dtype.isbuiltin == 1 else dtype.name
        self.__cuda_array_interface__ = {
            "version": 3, "shape": shape, "typestr": typestr, "data": (address, not is_written), "strides": None,
        }  # fmt: skip


def _host_array(address: int, shape: tuple[int, ...], dtype: np.dtype, is_written: bool) -> np.ndarray:
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    array = np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)
    array.flags.writeable = is_written
    return array


def _arrays(values: Any, make: Callable[..., Any], is_written: bool) -> list[Any]:
    arrays = []
    for i in range(values.size):
        if values.types[i] != _BUFFER:
            raise TypeError(f"operand {i} is of kind {values.types[i]}, expected a buffer")
        buffer = ctypes.cast(values.values[i], POINTER(Buffer)).contents
        if buffer.dtype not in _DTYPES:
            raise TypeError(f"operand {i} has elements of XLA's type {buffer.dtype}, which kernels do not take")
        shape = tuple(buffer.dims[axis] for axis in range(buffer.rank))
        arrays.append(make(buffer.data or 0, shape, _dtype(_DTYPES[buffer.dtype]), is_written))
    return arrays


def _dtype(name: str) -> np.dtype:
    if name in np.sctypeDict:
        return np.dtype(name)
    import ml_dtypes

    return np.dtype(getattr(ml_dtypes, name))


def _attribute(attributes: Any, wanted: bytes) -> str:
    for i in range(attributes.size):
        name = attributes.names[i].contents
        if ctypes.string_at(name.data, name.size) == wanted and attributes.types[i] == _STRING:
            text = ctypes.cast(attributes.values[i], POINTER(Span)).contents
            return ctypes.string_at(text.data, text.size).decode()
    raise KeyError(f"the call has no attribute {wanted.decode()!r}")


def _stream(frame: Any) -> int:
    asked = StreamGet(ctypes.sizeof(StreamGet), None, frame.context, None)
    if frame.api.contents.stream_get(ctypes.byref(asked)):
        raise RuntimeError("XLA gives no stream for the launch")
    return asked.stream or 0


def _refuse(frame: Any, error: BaseException) -> int | None:
    message = f"{type(error).__name__}: {error}".encode()
    return frame.api.contents.error_create(
        ctypes.byref(ErrorCreate(ctypes.sizeof(ErrorCreate), None, message, _INTERNAL))
    )


def make_handler(run: Callable[[str, list[Any], list[Any], int | None], None], on_gpu: bool) -> Any:
    """A C function for XLA. `run` gets the attribute `call`, the arrays of operands (read only) and of results, and the
    stream, which is None on the CPU. Its exception becomes XLA's error. The function has to be kept alive."""

    def handle(pointer: Any) -> int | None:
        frame = pointer.contents
        if frame.extension:
            extension = ctypes.cast(frame.extension, POINTER(Extension)).contents
            if extension.kind == _METADATA:
                metadata = extension.metadata.contents
                metadata.version.major, metadata.version.minor = _VERSION
                metadata.traits = 0
                return None
        if frame.stage != _EXECUTE:
            return None
        try:
            make = DeviceArray if on_gpu else _host_array
            operands = _arrays(frame.arguments, make, is_written=False)
            results = _arrays(frame.results, make, is_written=True)
            run(_attribute(frame.attributes, b"call"), operands, results, _stream(frame) if on_gpu else None)
        except BaseException as error:
            return _refuse(frame, error)
        return None

    return HANDLER(handle)
