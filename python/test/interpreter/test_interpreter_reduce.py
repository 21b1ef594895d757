# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folds of the interpreter: halves of a line are folded apart, with any function."""

import numpy as np
import pytest

from interpreter import NUMPY, TARGET, apply, assert_same_bits, some, tile

SHAPE = (4, 8, 2)
BODY = """  %r0 = {op} %a dim = {dim} {reverse}identities = [{identity} : {e}] : {type} -> {result}
  (%l: tile<{e}>, %r: tile<{e}>) {{
    {function}
    yield %v : tile<{e}>
  }}"""


def fold(op: str, e: str, a, dim: int, identity: str, function: str, reverse=False):
    shape = a.shape if op == "scan" else a.shape[:dim] + a.shape[dim + 1 :]
    body = BODY.format(op=op, e=e, dim=dim, reverse=f"reverse={str(reverse).lower()} " if op == "scan" else "",
                       identity=identity, type=tile(e, a.shape), result=tile(e, shape), function=function)  # fmt: skip
    return apply(body, [(e, a)], [(e, shape)])[0]


INTEGERS = {
    "addi": ("%v = addi %l, %r : tile<{e}>", "0", np.add),
    "maxi": ("%v = maxi %l, %r signed : tile<{e}>", "-128", np.maximum),
    "xori": ("%v = xori %l, %r : tile<{e}>", "0", np.bitwise_xor),
}


@pytest.mark.parametrize("dim", range(3))
@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("e", ["i8", "i16", "i32", "i64"])
def test_reduce_and_scan_of_integers(e, name, dim):
    function, identity, numpy = INTEGERS[name]
    a = np.random.default_rng(0).integers(-100, 100, SHAPE).astype(NUMPY[e])
    text = function.format(e=e)
    found = fold("reduce", e, a, dim, identity, text)
    assert_same_bits(found, numpy.reduce(a, dim, dtype=a.dtype))
    assert_same_bits(fold("scan", e, a, dim, identity, text), numpy.accumulate(a, dim, dtype=a.dtype))
    backwards = np.flip(numpy.accumulate(np.flip(a, dim), dim, dtype=a.dtype), dim)
    assert_same_bits(fold("scan", e, a, dim, identity, text, reverse=True), np.ascontiguousarray(backwards))


@pytest.mark.parametrize("e", ["f16", "f32", "f64"])
def test_floats_are_added_in_pairs(e):
    a = np.random.default_rng(0).standard_normal((4, 64)).astype(NUMPY[e])
    sums = a
    while sums.shape[1] > 1:
        sums = sums[:, 0::2] + sums[:, 1::2]
    assert_same_bits(fold("reduce", e, a, 1, "0.0", f"%v = addf %l, %r : tile<{e}>"), sums[:, 0])
    scanned = a
    for half in (1, 2, 4, 8, 16, 32):
        parts = scanned.reshape(4, -1, 2, half)
        scanned = np.stack([parts[:, :, 0], parts[:, :, 0, -1:] + parts[:, :, 1]], 2).reshape(4, 64)
    assert_same_bits(fold("scan", e, a, 1, "0.0", f"%v = addf %l, %r : tile<{e}>"), scanned)


@pytest.mark.skipif(TARGET != "interpreter", reason="compiled code combines lanes in an order of its own")
def test_a_function_that_is_not_commutative():
    # x -> a x + b, one after the other: a power of ten and the digits in the order of the elements.
    a = np.full(4, 10, np.int32), np.array([1, 2, 3, 4], np.int32)
    body = """  %r0, %r1 = {op} %a, %b dim = 0 {reverse}identities = [1 : i32, 0 : i32] : \
tile<4xi32>, tile<4xi32> -> tile<{result}i32>, tile<{result}i32>
  (%a1: tile<i32>, %a2: tile<i32>, %b1: tile<i32>, %b2: tile<i32>) {{
    %v = muli %a1, %a2 : tile<i32>
    %m = muli %b1, %a2 : tile<i32>
    %w = addi %m, %b2 : tile<i32>
    yield %v, %w : tile<i32>, tile<i32>
  }}"""

    def folded(op, reverse, shape):
        text = body.format(op=op, reverse=reverse, result="4x" if shape else "")
        return apply(text, [("i32", array) for array in a], [("i32", shape), ("i32", shape)])[1]

    assert folded("reduce", "", ()) == 1234
    assert folded("scan", "reverse=false ", (4,)).tolist() == [1, 12, 123, 1234]
    assert folded("scan", "reverse=true ", (4,)).tolist() == [4321, 432, 43, 4]


def test_two_operands_make_an_argmax():
    a = np.random.default_rng(0).permutation(32).reshape(4, 8).astype(np.float32)
    index = np.broadcast_to(np.arange(8, dtype=np.int32), (4, 8)).copy()
    body = """  %r0, %r1 = reduce %a, %b dim = 1 identities = [0xFF800000 : f32, -1 : i32] : \
tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
  (%x: tile<f32>, %y: tile<f32>, %i: tile<i32>, %j: tile<i32>) {
    %c = cmpf greater_than ordered %x, %y : tile<f32> -> tile<i1>
    %v = select %c, %x, %y : tile<i1>, tile<f32>
    %k = select %c, %i, %j : tile<i1>, tile<i32>
    yield %v, %k : tile<f32>, tile<i32>
  }"""
    largest, where = apply(body, [("f32", a), ("i32", index)], [("f32", (4,)), ("i32", (4,))])
    assert_same_bits(largest, a.max(1))
    assert where.tolist() == a.argmax(1).tolist()


def test_a_branch_in_the_function():
    a = some("i32", (8,))
    function = """%c = cmpi less_than %l, %r, signed : tile<i32> -> tile<i1>
    %v = if %c -> (tile<i32>) {
      yield %r : tile<i32>
    } else {
      yield %l : tile<i32>
    }"""
    assert fold("reduce", "i32", a, 0, "-2147483648", function) == a.max()
