# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of XLA's handlers without XLA: its structures (xla/ffi/api/c_api.h), and arrays at addresses that stand for
memory."""

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p

from tilewright import _native

EXECUTE, SIGNED64, SCALAR = 3, 5, 3


def _structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


_HEAD = (("struct_size", c_size_t), ("extension", c_void_p))
Span = _structure("Span", ("data", c_char_p), ("size", c_size_t))
Scalar = _structure("Scalar", ("type", c_int), ("value", c_void_p))
Buffer = _structure("Buffer", *_HEAD, ("type", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", c_void_p))
Values = _structure("Values", *_HEAD, ("size", c_int64), ("types", c_void_p), ("values", c_void_p))
Attributes = _structure(
    "Attributes", *_HEAD, ("size", c_int64), ("types", c_void_p), ("names", c_void_p), ("values", c_void_p)
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
    "Api", *_HEAD, ("version", ApiVersion), ("internal", c_void_p), ("error_create", _CREATE),
    ("get_message", c_void_p), ("destroy", c_void_p), ("register", c_void_p), ("stream_get", _STREAM),
)  # fmt: skip
FrameOfXla = _structure(
    "FrameOfXla", *_HEAD, ("api", POINTER(Api)), ("context", c_void_p), ("stage", c_int), ("arguments", Values),
    ("results", Values), ("attributes", Attributes),
)  # fmt: skip

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, (ctypes.py_object, c_char_p)


def handler(capsule):
    return ctypes.CFUNCTYPE(c_void_p, POINTER(FrameOfXla))(_pointer_of(capsule, None))


class Frame:
    """A call frame of XLA: arrays, two numbers, a stream. `errors` has the messages that came back."""

    def __init__(self, operands, results, program, process=_native.xla_process, stage=EXECUTE, stream=0x5150):
        self.errors, self.keep, self.stream = [], [], stream
        self.api = Api()
        self.api.error_create = _CREATE(self._create)
        self.api.stream_get = _STREAM(self._stream)
        self.frame = FrameOfXla(
            ctypes.sizeof(FrameOfXla), None, ctypes.pointer(self.api), 77, stage, self._values(operands),
            self._values(results), self._attributes(process=process, program=program),
        )  # fmt: skip

    def _table(self, kind, items):
        table = (kind * max(1, len(items)))(*items)
        self.keep += [items, table]
        return ctypes.addressof(table)

    def _values(self, arrays):
        buffers = [Buffer(ctypes.sizeof(Buffer), None, 11, _address_of(array), 0, None) for array in arrays]
        self.keep += [buffers, arrays]
        addresses = self._table(c_void_p, list(map(ctypes.addressof, buffers)))
        return Values(ctypes.sizeof(Values), None, len(arrays), self._table(c_int, [1] * len(arrays)), addresses)

    def _attributes(self, **numbers):
        values = [c_int64(number) for number in numbers.values()]
        scalars = [Scalar(SIGNED64, ctypes.addressof(value)) for value in values]
        names = [Span(name.encode(), len(name)) for name in numbers]
        self.keep += [values, scalars, names]
        return Attributes(
            ctypes.sizeof(Attributes), None, len(values), self._table(c_int, [SCALAR] * len(values)),
            self._table(c_void_p, list(map(ctypes.addressof, names))),
            self._table(c_void_p, list(map(ctypes.addressof, scalars))),
        )  # fmt: skip

    def _create(self, arguments):
        self.errors.append(arguments.contents.message.decode())
        return 0xBAD

    def _stream(self, arguments):
        assert arguments.contents.context == 77
        arguments.contents.stream = self.stream
        return None


def _address_of(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.ctypes.data


class Described:
    """An array in the memory of that number."""

    def __init__(self, number, dtype, shape, strides=None, offset=0, read_only=False):
        self.__array_interface__ = {
            "version": 3, "shape": shape, "typestr": dtype, "strides": strides,
            "data": ((number + 1) * _native.xla_memory_spacing + offset, read_only),
        }  # fmt: skip
