# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that take lists of arrays."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest
import tilewright as ct
from language import array, scalar, text_of
from tilewright._frontend.signature import ListSpec
from tilewright._runtime.dispatch import make_launcher


@ct.kernel
def total(arrays, out, TILE: ct.Constant[int]):
    """The sum of all arrays, each as long as it is."""
    i = ct.bid(0)
    acc = ct.zeros((TILE,), ct.float32)
    for j in range(len(arrays)):
        if i < ct.num_tiles(arrays[j], 0, (TILE,)):
            acc += ct.load(arrays[j], i, (TILE,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, i, acc)


@ct.kernel
def fill(arrays, value):
    one = arrays[ct.bid(0)]
    for i in range(one.shape[0]):
        for j in range(ct.cdiv(one.shape[1], 4)):
            ct.store(one, (i, j), ct.full((1, 4), value, ct.float32) + ct.bid(0))


def vectors(*lengths, dtype=np.float32):
    return [np.arange(n).astype(dtype) + n for n in lengths]


@pytest.mark.parametrize("lengths", [(40,), (64, 64, 64), (7, 33, 64, 1, 0, 50)])
def test_arrays_of_any_length(lengths):
    arrays, out = vectors(*lengths), np.full(64, -1, np.float32)
    total[4](arrays, out, 16)
    expected = np.zeros(64, np.float32)
    for each in arrays:
        expected[: len(each)] += each
    np.testing.assert_array_equal(out, expected)


def test_lists_of_any_length_share_their_code():
    launcher = make_launcher(total)
    for count in (1, 2, 5):
        out = np.zeros(64, np.float32)
        launcher((4,), (vectors(*[64] * count), out, 16))
        np.testing.assert_array_equal(out, vectors(64)[0] * count)
    assert launcher.num_specializations == 1
    out = np.zeros(64, np.float32)
    launcher((4,), (vectors(64, 63), out, 16))  # not all lengths are multiples of 16
    launcher((4,), ([np.arange(128, dtype=np.float32)[::2], *vectors(64)], out, 16))  # not all strides are 1
    assert launcher.num_specializations == 3
    np.testing.assert_array_equal(out, np.arange(0, 128, 2) + vectors(64)[0])


def test_stores_to_arrays_of_a_list():
    arrays = [np.zeros(shape, np.float32) for shape in ((3, 8), (1, 20), (5, 4))]
    wide = np.zeros((4, 12), np.float32)
    fill[4]([*arrays, wide[:, 3:7]], 2.5)
    for i, each in enumerate(arrays):
        assert (each == 2.5 + i).all()
    assert (wide[:, 3:7] == 5.5).all() and (wide[:, :3] == 0).all() and (wide[:, 7:] == 0).all()


def test_loads_after_stores():
    @ct.kernel
    def shift(arrays):
        for i in range(len(arrays) - 1):
            ct.store(arrays[i + 1], 0, ct.load(arrays[i], 0, (8,)) + 1)

    arrays = vectors(8, 8, 8, 8)
    shift[1](arrays)
    np.testing.assert_array_equal(arrays[3], vectors(8)[0] + 3)


def test_other_ways_to_reach_elements():
    @ct.kernel
    def pick(arrays, which, out):
        chosen = arrays[ct.load(which, ct.bid(0), ())]
        part = chosen.slice(0, 2, 10)
        ct.store(out, (ct.bid(0), 0), ct.load(part, 0, (8,)).reshape((1, 8)))
        rows = ct.gather(chosen, ct.arange(8, dtype=ct.int32) * 2)
        ct.scatter(out, (ct.bid(0) + 3, ct.arange(8, dtype=ct.int32)), rows)

    arrays, which, out = vectors(40, 20, 16, dtype=np.int64), np.array([2, 0, 1], np.int32), np.zeros((6, 8), np.int64)
    pick[3](arrays, which, out)
    for i, w in enumerate(which):
        np.testing.assert_array_equal(out[i], arrays[w][2:10])
        np.testing.assert_array_equal(out[i + 3], arrays[w][:16:2])


def test_beyond_the_list_there_is_nothing(monkeypatch):
    """Errors that checked mode reports and that otherwise do no harm."""

    @ct.kernel
    def beyond(arrays, out):
        ct.store(out, 0, ct.load(arrays[len(arrays) + ct.bid(0)], 0, (8,), padding_mode=ct.PaddingMode.ZERO))
        ct.store(arrays[ct.bid(0) - 1], 0, ct.full((8,), 3, ct.float32))

    arrays, out = vectors(8), np.ones(8, np.float32)
    monkeypatch.setenv("TILEWRIGHT_CHECK", "1")
    with pytest.raises(ct.TileCheckError, match="index 0 in dimension 0 of the view, whose index space is empty"):
        beyond[1](arrays, out)
    monkeypatch.delenv("TILEWRIGHT_CHECK")
    beyond[1](arrays, out)
    np.testing.assert_array_equal(out, np.zeros(8))
    np.testing.assert_array_equal(arrays[0], vectors(8)[0])


def test_lists_in_tuples_and_dataclasses():
    @dataclass(frozen=True)
    class Group:
        inputs: Any
        scale: float

    @ct.kernel
    def scaled(group, pair, out):
        lists, offset = pair
        acc = ct.full((8,), offset, ct.float32)
        for i in range(len(group.inputs)):
            acc += ct.load(group.inputs[i], 0, (8,)) * group.scale
        ct.store(out, 0, acc + ct.load(lists[1], 0, (8,)))

    out = np.zeros(8, np.float32)
    scaled[1](Group(vectors(8, 8), 2.0), (vectors(8, 16), 7.0), out)
    np.testing.assert_array_equal(out, vectors(8)[0] * 4 + 7 + vectors(16)[0][:8])


def test_annotations():
    elements = ct.ListAnnotation(element=ct.ArrayAnnotation(static_shape_dims=(1,)))

    @ct.kernel
    def rows(arrays: Annotated[list, elements], out):
        first = arrays[0]
        width = ct.static_eval(first.shape[1] * 2)
        ct.store(out, (ct.bid(0), 0), ct.load(arrays[ct.bid(0)], (0, 0), (1, 8)) * width)

    @ct.kernel
    def wide(arrays: Annotated[list, ct.ListAnnotation(element=ct.IndexedWithInt64)], out):
        ct.store(out, 0, ct.load(arrays[1], 0, (8,)) + ct.astype(arrays[1].shape[0], ct.float32))

    arrays, out = [np.full((1, 8), i, np.float32) for i in range(3)], np.zeros((3, 8), np.float32)
    rows[3](arrays, out)
    np.testing.assert_array_equal(out, np.repeat(np.arange(3) * 16, 8).reshape(3, 8))
    with pytest.raises(ValueError, match=r"argument 'arrays\[2\]' has length 4 on axis 1, expected 8"):
        rows[3]([*arrays[:2], np.zeros((1, 4), np.float32)], out)
    with pytest.raises(TypeError, match=r"argument 'arrays' is a numpy\.ndarray, expected a list of arrays"):
        rows[3](out, out)
    flat = np.zeros(8, np.float32)
    wide[1](vectors(8, 8), flat)
    np.testing.assert_array_equal(flat, vectors(8)[0] + 8)


def test_entry():
    spec = ListSpec(array(ct.float32, 2, base_divisible_by=16))
    text = text_of(fill, spec, scalar(ct.float32))
    entry = next(line for line in text.splitlines() if "entry @" in line)
    assert "%arg0: tile<ptr<i64>>, %arg1: tile<i32>, %arg2" in entry
    assert "int_to_ptr" in text and "div_by<16>" in text


INVALID = {
    "is an empty list, expected one array or more": [],
    "'arrays[1]' is a float, expected a list of arrays": [np.zeros(8, np.float32), 1.0],
    "'arrays[1]' is a list, expected a list of arrays": [np.zeros(8, np.float32), [1.0]],
    "'arrays[1]' is an array of float64 with 1 axis, expected an array of float32 with 1 axis": [
        np.zeros(8, np.float32),
        np.zeros(8),
    ],
    "'arrays[2]' is an array of float32 with 2 axes, expected an array of float32 with 1 axis": [
        *vectors(8, 8),
        np.zeros((8, 8), np.float32),
    ],
    "'arrays[0]' has stride -1 on axis 0": [np.zeros(8, np.float32)[::-1]],
    "'arrays[0]' has dtype complex64": [np.zeros(8, np.complex64)],
}


@pytest.mark.parametrize("message", INVALID)
def test_invalid_lists(message):
    out = np.zeros(64, np.float32)
    with pytest.raises((TypeError, ValueError)) as caught:
        total[4](INVALID[message], out, 16)
    assert message in str(caught.value)
    total[4](vectors(64), out, 16)


def test_what_is_written():
    fixed, shared = np.zeros((2, 4), np.float32), np.zeros((4, 4), np.float32)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 'arrays\[1\]' is read-only, but the kernel writes it"):
        fill[2]([np.zeros((2, 4), np.float32), fixed], 1.0)
    with pytest.raises(ValueError, match=r"argument 'arrays\[0\]' shares memory with argument 'arrays\[1\]'"):
        fill[2]([shared[:3], shared[2:]], 1.0)
    fill[2]([shared[:2], shared[2:]], 1.0)
    same = vectors(64)[0]
    out = np.zeros(64, np.float32)
    total[4]([same, same, same], out, 16)  # only read
    np.testing.assert_array_equal(out, same * 3)
    with pytest.raises(ValueError, match=r"argument 'out' shares memory with argument 'arrays\[1\]'"):
        total[4]([same, out[:60]], out, 16)


ERRORS = {
    "index -1 of list 'arrays'; expected 0 or more: count from its len()": lambda arrays: arrays[-1],
    "list 'arrays' has no slices; expected an integer index": lambda arrays: arrays[1:],
    "the index of list 'arrays' is a number 1.5; expected a compile-time integer": lambda arrays: arrays[1.5],
    "the index of list 'arrays' is a tile of int32 with shape (4,)": lambda arrays: arrays[
        ct.arange(4, dtype=ct.int32)
    ],
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors_in_kernels(message):
    access = ERRORS[message]

    @ct.kernel
    def kernel(arrays):
        ct.store(access(arrays), 0, ct.zeros((8,), ct.float32))

    with pytest.raises(ct.TileError) as caught:
        kernel[1](vectors(8))
    assert message in str(caught.value)


def test_a_list_is_counted_not_iterated():
    @ct.kernel
    def kernel(arrays):
        for each in arrays:
            ct.store(each, 0, ct.zeros((8,), ct.float32))

    with pytest.raises(ct.TileTypeError, match=r"list 'arrays' .* range\(len\("):
        kernel[1](vectors(8))
