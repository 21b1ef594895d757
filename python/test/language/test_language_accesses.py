# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses by index: arrays without axes, the dtypes that atomics take, and numbers that do not fit an array."""

from typing import Annotated

import numpy as np
import pytest
import tilewright as ct
from language import array, constant, run_block, text_of
from tilewright._frontend.signature import ArraySpec

FOUR_BYTES = ("int32", "uint32", "int64", "uint64", "float32", "float64")
ATOMIC_DTYPES = {"add": (*FOUR_BYTES, "float16", "bfloat16"), "xchg": FOUR_BYTES, "cas": FOUR_BYTES} | dict.fromkeys(
    ("max", "min", "and", "or", "xor"), ("int32", "uint32", "int64", "uint64")
)
DTYPES = ("bool_", "int8", "uint8", "int16", "uint16", *FOUR_BYTES, "float16", "bfloat16", "tfloat32", "float8_e4m3fn")


def test_arrays_without_axes():
    @ct.kernel
    def access(x, y, count, DTYPE: ct.Constant[type]):
        value = ct.gather(x, (), mask=ct.bid(0) == 0, padding_value=1)
        ct.scatter(y, (), value + ct.gather(x, ()))
        ct.scatter(y, (), 100, mask=ct.bid(0) > 0)
        old = ct.atomic_add(count, (), 5)
        ct.atomic_cas(count, (), old + 5, 40)
        ct.atomic_max(count, (), 41)

    for dtype in (np.float32, np.int8, np.float16, np.int64):
        x, y, count = np.array(3, dtype), np.array(0, dtype), np.array(2, np.int32)
        run_block(access, x, y, count, dtype)
        assert (y, count) == (6, 41)


@pytest.mark.parametrize("call", ["ct.load(x, (), ())", "ct.store(x, (), 0)", "x.tiled_view(())"])
def test_arrays_without_axes_have_no_tiles(call, tmp_path):
    path = tmp_path / "no_axes.py"
    path.write_text(f"import tilewright as ct\n\n\n@ct.kernel\ndef kernel(x):\n    {call}\n")
    scope = {}
    exec(compile(path.read_text(), path, "exec"), scope)
    with pytest.raises(ct.TileTypeError, match="array 'x' has no axes; expected one or more: use gather"):
        text_of(scope["kernel"], ArraySpec(ct.int32, 0))


@pytest.mark.parametrize("name", ATOMIC_DTYPES)
def test_dtypes_of_atomics(name):
    function = getattr(ct, f"atomic_{name}")

    @ct.kernel
    def elements(x, DTYPE: ct.Constant[type]):
        value = ct.zeros((8,), DTYPE)
        if ct.static_eval(name == "cas"):
            function(x, ct.arange(8, dtype=ct.int32), value, value)
        else:
            function(x, ct.arange(8, dtype=ct.int32), value)

    @ct.kernel
    def tiles(x, DTYPE: ct.Constant[type]):
        view = x.tiled_view((8,))
        getattr(view, f"atomic_store_{name}")((0,), ct.zeros((8,), DTYPE))

    for dtype in DTYPES:
        kind = getattr(ct, dtype)
        for kernel in (elements, tiles)[: 1 if name in ("xchg", "cas") else 2]:
            if dtype in ATOMIC_DTYPES[name]:
                text_of(kernel, array(kind), constant(kind))
                continue
            with pytest.raises(
                ct.TileTypeError, match=f"atomic_{name} of {dtype} is not defined; expected an array of"
            ):
                text_of(kernel, array(kind), constant(kind))


FITTING = {
    "int8": (127, -128, True),
    "uint8": (255, 0),
    "int64": (2**63 - 1,),
    "bool_": (1, 0, True),
    "float16": (1e6, 10**6, float("nan"), True),
    "float32": (1e39, 1e-50),
}
OUT_OF_RANGE = {"int8": (128, -129), "uint8": (256, -1), "int32": (2**31, 2**40), "int64": (2**63,)}
OF_ANOTHER_KIND = {"int8": (1.5, float("nan"), 3.0), "bool_": (2, 0.5), "uint16": (0.0,)}


def uses_of(number):
    @ct.kernel
    def padding(x):
        ct.gather(x, ct.arange(8, dtype=ct.int32), padding_value=number)

    @ct.kernel
    def raw_padding(x):
        lanes = ct.arange(8, dtype=ct.int32)
        x.get_raw_memory().load_offset(lanes, mask=lanes < 4, padding_value=number)

    @ct.kernel
    def store(x):
        ct.store(x, 0, number)

    @ct.kernel
    def scatter(x):
        ct.scatter(x, ct.arange(8, dtype=ct.int32), number)

    return padding, raw_padding, store, scatter


@pytest.mark.parametrize(("dtype", "number"), [(d, n) for d, numbers in FITTING.items() for n in numbers])
def test_numbers_that_fit_the_array(dtype, number):
    for kernel in uses_of(number):
        text_of(kernel, array(getattr(ct, dtype)))


@pytest.mark.parametrize(("dtype", "number"), [(d, n) for d, numbers in OUT_OF_RANGE.items() for n in numbers])
def test_numbers_out_of_range(dtype, number):
    for kernel in uses_of(number):
        with pytest.raises(ct.TileValueError, match=rf"is {number}, out of range of {dtype}; expected -?\d+ to \d+"):
            text_of(kernel, array(getattr(ct, dtype)))


@pytest.mark.parametrize(("dtype", "number"), [(d, n) for d, numbers in OF_ANOTHER_KIND.items() for n in numbers])
def test_numbers_of_another_kind(dtype, number):
    for kernel in uses_of(number):
        with pytest.raises(ct.TileTypeError, match=f"is number {number}; expected a value of dtype {dtype}"):
            text_of(kernel, array(getattr(ct, dtype)))


def test_a_mask_is_no_number():
    @ct.kernel
    def kernel(x):
        ct.scatter(x, ct.arange(8, dtype=ct.int32), 0, mask=1)

    with pytest.raises(ct.TileTypeError, match="mask is number 1; expected a value of dtype bool_: compare it"):
        text_of(kernel, array(ct.int32))


def test_elements_of_four_bits_have_no_address():
    @ct.kernel
    def kernel(x):
        ct.gather(x, ct.arange(8, dtype=ct.int32))

    with pytest.raises(ct.TileTypeError, match="two float4_e2m1fn of array 'x' share an address"):
        text_of(kernel, array(ct.float4_e2m1fn))


def test_broadcast_axes_have_a_static_stride_of_zero():
    @ct.kernel
    def kernel(x: Annotated[ct.Array, ct.ArrayAnnotation(static_stride_dims=(0, 1))], tiles, elements):
        ct.store(tiles, (0, 0), ct.load(x, (0, 0), (8, 16)))
        rows, columns = ct.arange(8, dtype=ct.int32)[:, None], ct.arange(16, dtype=ct.int32)[None, :]
        ct.store(elements, (0, 0), ct.gather(x, (rows, columns)))

    row, column = np.arange(16, dtype=np.float32), np.arange(8, dtype=np.float32)[:, None]
    for x in (np.broadcast_to(row, (8, 16)), np.broadcast_to(column, (8, 16)), np.broadcast_to(row[3:4], (8, 16))):
        tiles, elements = np.zeros((8, 16), np.float32), np.zeros((8, 16), np.float32)
        run_block(kernel, x, tiles, elements)
        np.testing.assert_array_equal(tiles, x)
        np.testing.assert_array_equal(elements, x)
    text = text_of(kernel, array(ct.float32, 2, static_shape=(0, None)), array(ct.float32, 2), array(ct.float32, 2))
    assert "tensor_view<?x?xf32" in text
