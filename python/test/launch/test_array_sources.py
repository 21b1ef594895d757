# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays other than NumPy's: the required attributes of an object, and the errors if one is missing."""

import numpy as np
import pytest
import tilewright as ct


@ct.kernel
def add(a, b, out, TILE: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))


class Interface:
    """Describes its memory in an attribute of its own."""

    def __init__(self, array, **changes):
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, **changes}


class InterfaceProperty:
    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class DLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class DLPackBeforeVersions(DLPack):
    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class DLPackElsewhere(DLPack):
    def __dlpack__(self, **kwargs):
        raise BufferError("no stream")

    def __dlpack_device__(self):
        return (8, 0)


def vector(n=40, dtype=np.float32):
    return np.arange(n).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.uint8])
@pytest.mark.parametrize("wrap", [Interface, InterfaceProperty, DLPack, DLPackBeforeVersions])
def test_sources(wrap, dtype):
    a, b, out = vector(dtype=dtype), vector(80, dtype)[::2], np.zeros(40, dtype)
    for _ in range(2):  # the second time with the cached facts about the type
        out[:] = 0
        ct.launch(None, (3,), add, (wrap(a), wrap(b), wrap(out), 16))
        np.testing.assert_array_equal(out, a + b)


def test_booleans():
    a, out = vector() > 20, np.zeros(40, bool)

    @ct.kernel
    def invert(a, out):
        ct.store(out, (ct.bid(0),), ~ct.load(a, (ct.bid(0),), (8,)))

    invert[5](Interface(a), Interface(out))
    np.testing.assert_array_equal(out, ~a)


@pytest.mark.parametrize("wrap", [Interface, DLPack])
def test_read_only_output(wrap):
    out = vector()
    out.flags.writeable = False
    with pytest.raises(ValueError, match="argument 'out' is read-only, but the kernel writes it"):
        add[3](vector(), vector(), wrap(out), 16)
    add[3](wrap(out), wrap(out), vector(), 16)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"typestr": ">f4"}, "has dtype >f4, expected one of"),
        ({"typestr": "|V4"}, "has dtype |V4, expected one of"),
        ({"typestr": "<f\udc80"}, "has dtype <f\udc80, expected one of"),
        ({"typestr": None}, "has no text in __array_interface__['typestr']"),
        ({"shape": [40]}, "has [40] for __array_interface__['shape'], expected a tuple of integers"),
        ({"shape": (1,) * 40}, "has 40 dimensions, expected at most"),
        ({"shape": (2.5,)}, "has (2.5,) for __array_interface__['shape'], expected a tuple of integers"),
        ({"strides": (4, 4)}, "has (4, 4) for __array_interface__['strides'], expected a tuple of integers"),
        ({"strides": (6,)}, "has a stride of 6 bytes on axis 0, expected a multiple of its element size"),
        ({"data": None}, "describes its memory by a buffer, expected an address"),
        ({"data": ("x", False)}, "has ('x', False) for __array_interface__['data'], expected (address, read-only)"),
        ({"data": (2**80, False)}, "for __array_interface__['data'], expected (address, read-only)"),
    ],
)
def test_invalid_interfaces(changes, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        add[3](vector(), Interface(vector(), **changes), vector(), 16)
    assert "add: argument 'b' " in str(caught.value) and message in str(caught.value)
    add[3](vector(), Interface(vector()), vector(), 16)


def test_interface_that_raises():
    class Raises:
        @property
        def __array_interface__(self):
            raise RuntimeError("freed")

    with pytest.raises(TypeError, match="argument 'b' cannot be read through __array_interface__: freed"):
        add[3](vector(), Raises(), vector(), 16)


def test_dlpack_elsewhere():
    with pytest.raises(ValueError, match="argument 'b' is on a Metal device, expected an array in host memory"):
        add[3](vector(), DLPackElsewhere(vector()), vector(), 16)


def test_dlpack_that_raises():
    class Raises(DLPack):
        def __dlpack__(self, **kwargs):
            raise BufferError("in use")

    with pytest.raises(TypeError, match="argument 'b' cannot be read through DLPack: in use"):
        add[3](vector(), Raises(vector()), vector(), 16)


def test_dlpack_gives_its_tensor_back():
    import sys

    a, out = vector(), np.zeros(40, np.float32)
    before = sys.getrefcount(a)
    for _ in range(10):
        add[3](DLPack(a), DLPackBeforeVersions(a), out, 16)
    assert sys.getrefcount(a) == before
