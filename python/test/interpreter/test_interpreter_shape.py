# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the interpreter that move elements, for every element type, against NumPy."""

import numpy as np
import pytest

from interpreter import NUMPY, apply, assert_same_bits, some, tile

every_element = pytest.mark.parametrize("e", NUMPY)


@every_element
def test_reshape_and_permute(e):
    a = some(e, (4, 2, 8))
    body = f"""
  %r0 = reshape %a : {tile(e, (4, 2, 8))} -> {tile(e, (8, 8))}
  %r1 = permute %a [2, 0, 1] : {tile(e, (4, 2, 8))} -> {tile(e, (8, 4, 2))}"""
    reshaped, permuted = apply(body, [(e, a)], [(e, (8, 8)), (e, (8, 4, 2))])
    assert_same_bits(reshaped, a.reshape(8, 8))
    assert_same_bits(permuted, a.transpose(2, 0, 1))


@every_element
def test_broadcast(e):
    a = some(e, (4, 1, 2))
    body = f"  %r0 = broadcast %a : {tile(e, (4, 1, 2))} -> {tile(e, (4, 8, 2))}"
    (result,) = apply(body, [(e, a)], [(e, (4, 8, 2))])
    assert_same_bits(result, np.broadcast_to(a, (4, 8, 2)))


@every_element
def test_cat(e):
    a, b = some(e, (4, 2), 1), some(e, (4, 2), 2)
    type = tile(e, (4, 2))
    body = f"""
  %r0 = cat %a, %b dim = 0 : {type}, {type} -> {tile(e, (8, 2))}
  %r1 = cat %a, %b dim = 1 : {type}, {type} -> {tile(e, (4, 4))}"""
    rows, columns = apply(body, [(e, a), (e, b)], [(e, (8, 2)), (e, (4, 4))])
    assert_same_bits(rows, np.concatenate([a, b], 0))
    assert_same_bits(columns, np.concatenate([a, b], 1))


@every_element
def test_extract_and_insert_count_sub_tiles(e):
    a, b = some(e, (8, 4), 1), some(e, (2, 2), 2)
    whole, part = tile(e, (8, 4)), tile(e, (2, 2))
    body = f"""
  %one = constant <i32: 1> : tile<i32>
  %three = constant <i32: 3> : tile<i32>
  %r0 = extract %a[%three, %one] : {whole} -> {part}
  %r1 = insert %b, %a[%one, %zero] : {part}, {whole}"""
    extracted, inserted = apply(body, [(e, a), (e, b)], [(e, (2, 2)), (e, (8, 4))])
    assert_same_bits(extracted, a[6:8, 2:4])
    expected = a.copy()
    expected[2:4, 0:2] = b
    assert_same_bits(inserted, expected)


def test_a_part_outside_is_zeros_and_nothing_crashes():
    a = some("i32", (8, 4))
    body = """
  %far = constant <i32: 1000000000> : tile<i32>
  %below = constant <i32: -1> : tile<i32>
  %r0 = extract %a[%far, %zero] : tile<8x4xi32> -> tile<2x2xi32>
  %part = constant <i32: 7> : tile<2x2xi32>
  %r1 = insert %part, %a[%zero, %below] : tile<2x2xi32>, tile<8x4xi32>"""
    extracted, inserted = apply(body, [("i32", a)], [("i32", (2, 2)), ("i32", (8, 4))])
    assert_same_bits(extracted, np.zeros((2, 2), np.int32))
    assert_same_bits(inserted, a)


@every_element
def test_select(e):
    a, b, c = some(e, (4, 8), 1), some(e, (4, 8), 2), some("i1", (4, 8), 3)
    body = f"  %r0 = select %c, %a, %b : tile<4x8xi1>, {tile(e, (4, 8))}"
    (result,) = apply(body, [(e, a), (e, b), ("i1", c)], [(e, (4, 8))])
    assert_same_bits(result, np.where(c, a, b))


@pytest.mark.parametrize("e", ["i8", "i16", "i32", "i64"])
def test_iota(e):
    (result,) = apply(f"  %r0 = iota : {tile(e, (128,))}", [], [(e, (128,))])
    assert_same_bits(result, np.arange(128, dtype=NUMPY[e]))


def test_iota_of_all_bytes():
    (result,) = apply("  %r0 = iota : tile<256xi8>", [], [("i8", (256,))])
    assert_same_bits(result, np.arange(256).astype(np.int8))


def test_constants():
    body = """
  %r0 = constant <i8: [[1, -1], [127, -128]]> : tile<2x2xi8>
  %r1 = constant <f32: 0.1> : tile<4xf32>
  %r2 = constant <f16: [1.0, 65504.0]> : tile<2xf16>
  %r3 = constant <i1: [true, false]> : tile<2xi1>
  %r4 = constant <tf32: 1.5> : tile<2xtf32>
  %r5 = constant <bf16: 1.0> : tile<2xbf16>
  %r6 = constant <f8E4M3FN: 1.0> : tile<2xf8E4M3FN>"""
    results = apply(body, [], [("i8", (2, 2)), ("f32", (4,)), ("f16", (2,)), ("i1", (2,)), ("tf32", (2,)),
                               ("bf16", (2,)), ("f8E4M3FN", (2,))])  # fmt: skip
    expected = [np.array([[1, -1], [127, -128]], np.int8), np.full(4, 0.1, np.float32),
                np.array([1, 65504], np.float16), np.array([True, False]), np.full(2, 0x3FC00000, np.uint32),
                np.full(2, 0x3F80, np.uint16), np.full(2, 0x38, np.uint8)]  # fmt: skip
    for found, wanted in zip(results, expected, strict=True):
        assert_same_bits(found, wanted)
