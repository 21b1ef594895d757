# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest
from ml_dtypes import bfloat16, float8_e4m3fn

from kernels.gemm.kernel import BY_TILE, FAST, PLAIN, gemm, gemm_skinny
from kernels.gemm.reference import reference

DTYPES = [np.float32, np.float16, bfloat16]


def operands(rows, columns, depth, dtype, transposed_a=False, transposed_b=False):
    random = np.random.default_rng(rows + columns + depth)
    a = random.standard_normal((depth, rows) if transposed_a else (rows, depth)).astype(dtype)
    b = random.standard_normal((columns, depth) if transposed_b else (depth, columns)).astype(dtype)
    return a, b


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (128, 256, 64), (256, 512, 256), (100, 133, 77), (129, 257, 65), (300, 5, 190)]
)
def test_matches_reference(shape, dtype):
    a, b = operands(*shape, dtype)
    reference(a, b).check(gemm(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", [(True, False), (False, True), (True, True)])
def test_transposed_operands(transposed, dtype):
    flags = {"transposed_a": transposed[0], "transposed_b": transposed[1]}
    a, b = operands(200, 300, 150, dtype, **flags)
    reference(a, b, **flags).check(gemm(a, b, **flags))


@pytest.mark.parametrize("dtype", DTYPES)
def test_transposed_views(dtype):
    a, b = operands(200, 300, 150, dtype, True, True)
    reference(a.T, b.T).check(gemm(a.T, b.T))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("silu", [False, True])
def test_epilogue(silu, dtype):
    a, b = operands(140, 290, 100, dtype)
    bias = np.random.default_rng(9).standard_normal(290).astype(np.float32)
    reference(a, b, bias=bias, silu=silu).check(gemm(a, b, bias=bias, silu=silu))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("out_dtype", DTYPES)
def test_result_types(dtype, out_dtype):
    a, b = operands(70, 90, 110, dtype)
    out = gemm(a, b, out_dtype=out_dtype)
    assert out.dtype == out_dtype
    reference(a, b, out_dtype=out_dtype).check(out)


@pytest.mark.parametrize("tile", [(64, 64, 32), (128, 128, 32), (16, 32, 16), (256, 128, 64)])
def test_tiles(tile):
    a, b = operands(301, 203, 105, np.float32)
    reference(a, b).check(gemm(a, b, tile=tile))


@pytest.mark.parametrize("shape, blocks", [((300, 400, 150), 4), ((129, 257, 65), 100)])
@pytest.mark.parametrize("silu", [False, True])
def test_blocks_that_take_several_tiles(shape, blocks, silu):
    a, b = operands(*shape, bfloat16)
    out = gemm(a, b, blocks=blocks, silu=silu, tile=(64, 64, 32))
    reference(a, b, silu=silu).check(out)


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
@pytest.mark.parametrize("transposed_b", [False, True])
def test_few_rows(transposed_b, dtype):
    a, b = operands(16, 333, 290, dtype, transposed_b=transposed_b)
    reference(a, b, transposed_b=transposed_b).check(gemm_skinny(a, b, transposed_b=transposed_b))
    reference(a[:5], b, transposed_b=transposed_b).check(gemm_skinny(a[:5], b, transposed_b=transposed_b))


@pytest.mark.parametrize("transposed_b", [False, True])
def test_tf32(transposed_b):
    a, b = operands(150, 140, 100, np.float32, transposed_b=transposed_b)
    out = gemm(a, b, transposed_b=transposed_b, tf32=True, tile=(64, 64, 32))
    reference(a, b, transposed_b=transposed_b, tf32=True).check(out)


@pytest.mark.parametrize("sums", [PLAIN, FAST, BY_TILE])
def test_eight_bits(sums):
    a, b = operands(150, 140, 200, float8_e4m3fn, transposed_b=True)
    out = gemm(a, b, transposed_b=True, out_dtype=bfloat16, sums=sums, tile=(64, 64, 64))
    reference(a, b, transposed_b=True, out_dtype=bfloat16).check(out)


def test_reads_and_writes_nothing_outside():
    """Operands and result are windows into frames of NaN and guards."""
    frame_a, frame_b = np.full((150, 120), np.nan, np.float32), np.full((120, 170), np.nan, np.float32)
    frame_out = np.full((150, 170), -7.0, np.float32)
    a, b = operands(133, 141, 99, np.float32)
    frame_a[5:138, 7:106], frame_b[3:102, 11:152] = a, b
    gemm(frame_a[5:138, 7:106], frame_b[3:102, 11:152], frame_out[9:142, 13:154])
    reference(a, b).check(frame_out[9:142, 13:154])
    frame_out[9:142, 13:154] = -7.0
    assert (frame_out == -7.0).all()


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="a has 3 columns but b has 4 rows"):
        gemm(np.ones((2, 3), np.float32), np.ones((4, 5), np.float32))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("tile", [(32, 64, 32), (128, 256, 64)])
def test_what_blocks_share_does_not_outlive_a_launch(tile, dtype):
    """Many blocks per column of tiles, so that packed operands are used again, and a second launch on new values."""
    a, b = operands(1100, 520, 200, dtype)
    for scale in (1, 2):
        b *= np.asarray(scale, dtype)
        reference(a, b).check(gemm(a, b, tile=tile))


def test_more_steps_than_room():
    a, b = operands(600, 256, 6000, np.float32)
    reference(a, b).check(gemm(a, b))


INTEGERS = pytest.mark.parametrize("dtypes", [(np.int8, np.int8), (np.uint8, np.int8), (np.uint8, np.uint8)])


def integers(rows, columns, depth, dtypes):
    """With the extremes, whose pairs of products do not fit 16 bits."""
    random = np.random.default_rng(rows + columns + depth)
    for shape, dtype in zip(((rows, depth), (depth, columns)), dtypes, strict=True):
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        x = random.integers(least, most, shape, dtype, endpoint=True)
        x[random.random(shape) < 0.3] = most
        x[random.random(shape) < 0.3] = least
        yield x


@INTEGERS
@pytest.mark.parametrize("shape", [(1, 1, 1), (128, 256, 64), (100, 133, 77), (300, 5, 190)])
def test_integers_are_exact(shape, dtypes):
    a, b = integers(*shape, dtypes)
    out = gemm(a, b)
    assert out.dtype == np.int32
    reference(a, b).check(out)


@INTEGERS
def test_integers_in_any_order_with_a_bias(dtypes):
    a, b = integers(140, 290, 100, dtypes)
    bias = np.random.default_rng(9).integers(-(2**20), 2**20, 290).astype(np.int32)
    reference(a, b, bias=bias).check(gemm(a, b, bias=bias))
    columns_a, rows_b = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
    flags = {"transposed_a": True, "transposed_b": True}
    reference(columns_a, rows_b, **flags).check(gemm(columns_a, rows_b, **flags))


def test_silu_is_for_floats():
    with pytest.raises(ValueError, match="SiLU is for floats, but a has dtype int8"):
        gemm(np.ones((2, 3), np.int8), np.ones((3, 2), np.int8), silu=True)
