# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views in the interpreter: every kind, where tiles leave the tensor, padding, dynamic extents and strides."""

import numpy as np
import pytest

from interpreter import NUMPY, assert_same_bits, run, some, tile

every_element = pytest.mark.parametrize("e", NUMPY)
PADDINGS = {"zero": 0.0, "neg_zero": -0.0, "nan": float("nan"), "pos_inf": float("inf"), "neg_inf": float("-inf")}


def copy_through(view: str, tensor: str, make: str, tile_type: str, index: str, flags: str = "") -> str:
    """Loads tile %i of a view of %a and writes it, contiguous, to %o."""
    shape = tile_type.removeprefix("tile<").rsplit("x", 1)[0]
    element = tile_type.removesuffix(">").rsplit("x", 1)[1]
    extents = [int(n) for n in shape.split("x")]
    strides = ", ".join(str(int(np.prod(extents[i + 1 :], dtype=int))) for i in range(len(extents)))
    out = f"tensor_view<{shape}x{element}, strides=[{strides}]>"
    zeros = ", ".join(["%zero"] * len(extents))
    return f"""
  %zero = constant <i32: 0> : tile<i32>
  {make}
  %in = {view.split("<")[0].replace("_view", "").join(["make_", "_view"])} %t : {view}
  %v, %read = load_view_tko weak %in{index}{flags} : {view}, tile<i32> -> {tile_type}, token
  %to = make_tensor_view %o, shape = [{shape.replace("x", ", ")}], strides = [{strides}] : {out}
  %all = make_partition_view %to : partition_view<tile=({shape}), {out}>
  %done = store_view_tko weak %v, %all[{zeros}] : {tile_type}, partition_view<tile=({shape}), {out}>, tile<i32> -> token
  return"""


def load(e: str, a, view: str, tensor: str, make: str, shape, at, grid_parameters=(), flags=""):
    """The tile that a view gives at an index."""
    out = np.zeros(shape, NUMPY[e])
    names = [f"%i{n}" for n in range(len(at))]
    extra = [f"%n{n}: tile<i32>" for n in range(len(grid_parameters))]
    parameters = [f"%a: tile<ptr<{e}>>", f"%o: tile<ptr<{e}>>", *(f"{name}: tile<i32>" for name in names), *extra]
    body = copy_through(view, tensor, make, tile(e, shape), f"[{', '.join(names)}]", flags)
    text = f"cuda_tile.module @m {{ entry @main({', '.join(parameters)}) {{{body}\n}} }}"
    run(text, a, out, *at, *grid_parameters)
    return out


@every_element
def test_partition_with_dim_map(e):
    a = some(e, (8, 6))
    tensor = f"tensor_view<8x6x{e}, strides=[6, 1]>"
    view = f"partition_view<tile=(2x4), {tensor}, dim_map=[1, 0]>"
    make = f"%t = make_tensor_view %a, shape = [8, 6], strides = [6, 1] : {tensor}"
    assert_same_bits(load(e, a, view, tensor, make, (2, 4), (2, 1)), a[4:8, 4:6].T)


@every_element
@pytest.mark.parametrize("padding", PADDINGS)
def test_padding(e, padding):
    if padding != "zero" and e[0] == "i":
        pytest.skip("integers have zero padding only")
    a = some(e, (3, 5))
    tensor = f"tensor_view<3x5x{e}, strides=[5, 1]>"
    view = f"partition_view<tile=(2x4), padding_value = {padding}, {tensor}>"
    make = f"%t = make_tensor_view %a, shape = [3, 5], strides = [5, 1] : {tensor}"
    found = load(e, a, view, tensor, make, (2, 4), (1, 1))
    assert found[0, 0].tobytes() == a[2, 4].tobytes()
    outside = np.delete(found.reshape(-1), 0)
    if e in ("f16", "f32", "f64"):
        expected = np.full(7, PADDINGS[padding], NUMPY[e])
        np.testing.assert_array_equal(outside, expected)
        np.testing.assert_array_equal(np.signbit(outside), np.signbit(expected))
    else:
        bits = {"bf16": (0, 0x8000, 0x7FC0, 0x7F80, 0xFF80), "tf32": (0, 1 << 31, 0x7FC00000, 0x7F800000, 0xFF800000),
                "f8E4M3FN": (0, 0x80, 0x7F, 0x7E, 0xFE), "f8E5M2": (0, 0x80, 0x7F, 0x7C, 0xFC),
                "f8E8M0FNU": (0, 0, 0xFF, 0xFE, 0xFE), "fnv8E5M3FNU": (0, 0, 0xFF, 0xFE, 0xFE)}  # fmt: skip
        assert set(outside.tolist()) == {bits[e][list(PADDINGS).index(padding)] if e in bits else 0}


def test_dynamic_extents_and_strides():
    a = np.arange(100, dtype=np.int32)
    tensor = "tensor_view<?x?xi32, strides=[?, ?]>"
    view = f"partition_view<tile=(2x4), padding_value = zero, {tensor}>"
    make = f"%t = make_tensor_view %a, shape = [%n0, %n1], strides = [%n2, %n3] : tile<i32> -> {tensor}"
    # Rows of 20, every third element, 3 x 6 of them; a stride may be negative, as in the second.
    found = load("i32", a, view, tensor, make, (2, 4), (1, 1), (3, 6, 20, 3))
    assert_same_bits(found, np.array([[52, 55, 0, 0], [0, 0, 0, 0]], np.int32))
    found = load("i32", a[50:], view, tensor, make, (2, 4), (0, 0), (3, 6, -20, -1))
    assert_same_bits(found, np.array([[50, 49, 48, 47], [30, 29, 28, 27]], np.int32))


def test_an_index_outside_of_the_index_space_touches_nothing():
    a = np.arange(8, dtype=np.int32)
    tensor = "tensor_view<8xi32, strides=[1]>"
    view = f"partition_view<tile=(4), padding_value = zero, {tensor}>"
    make = f"%t = make_tensor_view %a, shape = [8], strides = [1] : {tensor}"
    for index in (2, -1, 1 << 30, -(1 << 31)):
        for flags in ("", " inbounds = [true]"):
            assert_same_bits(load("i32", a, view, tensor, make, (4,), (index,), flags=flags), np.zeros(4, np.int32))


@every_element
def test_strided_views_overlap_or_leave_gaps(e):
    a = some(e, (9, 10))
    tensor = f"tensor_view<9x10x{e}, strides=[10, 1]>"
    make = f"%t = make_tensor_view %a, shape = [9, 10], strides = [10, 1] : {tensor}"
    view = f"strided_view<tile=(4x2), traversal_strides=[1,5], padding_value = zero, {tensor}>"
    assert_same_bits(load(e, a, view, tensor, make, (4, 2), (3, 1)), a[3:7, 5:7])
    mapped = f"strided_view<tile=(4x2), traversal_strides=[3,2], padding_value = zero, {tensor}, dim_map=[1, 0]>"
    assert_same_bits(load(e, a, mapped, tensor, make, (4, 2), (1, 2)), a[4:6, 3:7].T)


GATHER = """cuda_tile.module @m {{
entry @main(%a: tile<ptr<{e}>>, %k: tile<ptr<i32>>, %o: tile<ptr<{e}>>, %c: tile<i32>) {{
  %n = iota : tile<8xi32>
  %rk = reshape %k : tile<ptr<i32>> -> tile<1xptr<i32>>
  %bk = broadcast %rk : tile<1xptr<i32>> -> tile<8xptr<i32>>
  %pk = offset %bk, %n : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %rows, %tr = load_ptr_tko weak %pk : tile<8xptr<i32>> -> tile<8xi32>, token
  %zero = constant <i32: 0> : tile<i32>
  %ta = make_tensor_view %a, shape = [10, 6], strides = [6, 1] : tensor_view<10x6x{e}, strides=[6, 1]>
  %g = make_gather_scatter_view %ta : {view}
  %to = make_tensor_view %o, shape = [8, 4], strides = [4, 1] : tensor_view<8x4x{e}, strides=[4, 1]>
  %all = make_partition_view %to : partition_view<tile=(8x4), tensor_view<8x4x{e}, strides=[4, 1]>>
  {body}
  return
}} }}"""
ROWS = np.array([9, 0, 3, 3, -1, 10, 5, 2], np.int32)


def gather(e: str, body: str) -> str:
    view = (
        f"gather_scatter_view<tile=(8x4), padding_value = zero, tensor_view<10x6x{e}, strides=[6, 1]>, sparse_dim = 0>"
    )
    whole = f"partition_view<tile=(8x4), tensor_view<8x4x{e}, strides=[4, 1]>>"
    return GATHER.format(e=e, view=view, body=body.format(e=e, view=view, whole=whole))


@every_element
def test_gather(e):
    a, out = some(e, (10, 6)), some(e, (8, 4), 1)
    body = """%v, %t = load_view_tko weak %g[%rows, %c] : {view}, tile<8xi32>, tile<i32> -> tile<8x4x{e}>, token
  %s = store_view_tko weak %v, %all[%zero, %zero] : tile<8x4x{e}>, {whole}, tile<i32> -> token"""
    padded = np.zeros((12, 10), a.dtype)
    padded[:10, :6] = a
    for column in (0, 1, 4):
        run(gather(e, body), a, ROWS, out, column)
        expected = np.stack([padded[row if 0 <= row < 10 else 11, column : column + 4] for row in ROWS])
        assert_same_bits(out, expected)


@every_element
def test_scatter(e):
    a, values = some(e, (10, 6)), some(e, (8, 4), 1)
    body = """%v, %t = load_view_tko weak %all[%zero, %zero] : {whole}, tile<i32> -> tile<8x4x{e}>, token
  %s = store_view_tko weak %v, %g[%rows, %c] : tile<8x4x{e}>, {view}, tile<8xi32>, tile<i32> -> token"""
    expected = a.copy()
    for i, row in enumerate(ROWS):
        if 0 <= row < 10:
            expected[row, 4:6] = values[i, :2]
    run(gather(e, body), a, ROWS, values, 4)
    assert_same_bits(a, expected)


def test_stores_clip():
    out = np.zeros(16, np.int32)
    run("""cuda_tile.module @m { entry @main(%o: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %v = iota : tile<4xi32>
  %t = make_tensor_view %o, shape = [10], strides = [1] : tensor_view<10xi32, strides=[1]>
  %p = make_partition_view %t : partition_view<tile=(4), tensor_view<10xi32, strides=[1]>>
  %s = store_view_tko weak %v, %p[%x] : tile<4xi32>, \
partition_view<tile=(4), tensor_view<10xi32, strides=[1]>>, tile<i32> -> token
  return
} }""", out, grid=(4, 1, 1))  # fmt: skip
    assert out.tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("e", ["i32", "i64"])
def test_shapes_of_views(e):
    out = np.zeros(6, np.int64)
    tensor = "tensor_view<?x10xf32, strides=[?, 1]>"
    stores = "".join(
        f"""
  %w{i} = {f"exti %{name} signed : tile<i32> -> tile<i64>" if e == "i32" else f"addi %{name}, %none : tile<i64>"}
  %i{i} = constant <i32: {i}> : tile<i32>
  %q{i} = offset %o, %i{i} : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
  %s{i} = store_ptr_tko weak %q{i}, %w{i} : tile<ptr<i64>>, tile<i64> -> token"""
        for i, name in enumerate("abcdgh")
    )
    run(f"""cuda_tile.module @m {{ entry @main(%o: tile<ptr<i64>>, %f: tile<ptr<f32>>, %n: tile<i32>) {{
  %none = constant <i64: 0> : tile<i64>
  %t = make_tensor_view %f, shape = [%n, 10], strides = [%n, 1] : tile<i32> -> {tensor}
  %a, %b = get_tensor_shape %t : {tensor} -> tile<{e}>
  %p = make_partition_view %t : partition_view<tile=(4x2), {tensor}, dim_map=[1, 0]>
  %c, %d = get_index_space_shape %p : partition_view<tile=(4x2), {tensor}, dim_map=[1, 0]> -> tile<{e}>
  %v = make_strided_view %t : strided_view<tile=(4x2), traversal_strides=[3,4], {tensor}>
  %g, %h = get_index_space_shape %v : strided_view<tile=(4x2), traversal_strides=[3,4], {tensor}> -> tile<{e}>
  {stores}
  return
}} }}""", out, np.zeros(1, np.float32), 7)  # fmt: skip
    assert out.tolist() == [7, 10, 3, 4, 3, 3]


def test_two_f4_share_a_byte():
    a, out = np.arange(16, dtype=np.uint8) * 17 ^ 0x5A, np.zeros(16, np.uint8)
    tensor = "tensor_view<4x8xf4E2M1FN, strides=[8, 1]>"
    view = f"partition_view<tile=(2x4), {tensor}>"
    run(f"""cuda_tile.module @m {{ entry @main(%a: tile<ptr<f4E2M1FN>>, %o: tile<ptr<f4E2M1FN>>) {{
  %one = constant <i32: 1> : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %t = make_tensor_view %a, shape = [4, 8], strides = [8, 1] : {tensor}
  %p = make_partition_view %t : {view}
  %v, %r = load_view_tko weak %p[%one, %zero] : {view}, tile<i32> -> tile<2x4xf4E2M1FN>, token
  %to = make_tensor_view %o, shape = [4, 8], strides = [8, 1] : {tensor}
  %po = make_partition_view %to : {view}
  %s = store_view_tko weak %v, %po[%zero, %one] : tile<2x4xf4E2M1FN>, {view}, tile<i32> -> token
  return
}} }}""", a, out)  # fmt: skip
    expected = np.zeros((4, 4), np.uint8)
    expected[0:2, 2:4] = a.reshape(4, 4)[2:4, 0:2]
    assert out.tolist() == expected.reshape(-1).tolist()
