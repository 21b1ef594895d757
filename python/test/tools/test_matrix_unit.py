# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bf16 and of bytes on the matrix unit, and by the loops that stand for its instructions elsewhere."""

import ctypes
import pathlib

import numpy as np
import pytest
from kernel_library import call_library
from ml_dtypes import bfloat16
from tilewright.__main__ import main

KERNEL = """
import tilewright as ct

@ct.kernel
def product(a, b, out, TURNED_A: ct.Constant[bool], TURNED_B: ct.Constant[bool], M: ct.Constant[int],
            N: ct.Constant[int], K: ct.Constant[int]):
    ORDER_A, ORDER_B = (1, 0) if TURNED_A else (0, 1), (1, 0) if TURNED_B else (0, 1)
    acc = ct.zeros((M, N), out.dtype)
    for k in range(ct.cdiv(a.shape[0] if TURNED_A else a.shape[1], K)):
        acc = ct.mma(ct.load(a, (ct.bid(0), k), (M, K), order=ORDER_A, padding_mode=ct.PaddingMode.ZERO),
                     ct.load(b, (k, ct.bid(1)), (K, N), order=ORDER_B, padding_mode=ct.PaddingMode.ZERO), acc)
    ct.store(out, (ct.bid(0), ct.bid(1)), acc)
"""

NAMES = {np.dtype(bfloat16): "bfloat16", np.dtype(np.int8): "int8", np.dtype(np.uint8): "uint8"}
PLAIN, TURNED = (0, 1), (1, 0)


def run(folder, unit, a, b, order_a=PLAIN, order_b=PLAIN, tile=(64, 64, 64)):
    """The product as a library computes it whose plan has that unit."""
    (folder / "product.py").write_text(KERNEL)
    (folder / "unit.toml").write_text(f'[product]\nmma_unit = "{unit}"\n')
    sums = "int32" if a.dtype.kind in "iu" else "float32"
    arrays = ", ".join(f"{name}[:, ::1]" for name in (NAMES[a.dtype], NAMES[b.dtype], sums))
    signature = f"{arrays}, {order_a == TURNED}, {order_b == TURNED}, {', '.join(map(str, tile))}"
    words = ["compile", f"{folder}/product.py:product", "--signature", signature, "--emit=so"]
    assert main([*words, f"--plan={folder}/unit.toml", "-o", f"{folder}/{unit}.so"]) == 0
    rows, columns = a.shape[order_a[0]], b.shape[order_b[1]]
    out = np.full((rows, columns), -1, sums)
    grid = (-(-rows // tile[0]), -(-columns // tile[1]), 1)
    call_library(folder / f"{unit}.so", "product", grid, bits(a), bits(b), out)
    return out


def bits(array):
    return array.view(np.uint16) if array.dtype == bfloat16 else array


def operands(shape, dtypes, order_a=PLAIN, order_b=PLAIN):
    random = np.random.default_rng(sum(shape))
    rows, columns, depth = shape
    for extents, dtype, order in zip(((rows, depth), (depth, columns)), dtypes, (order_a, order_b), strict=True):
        extents = extents[::-1] if order == TURNED else extents
        if np.dtype(dtype).kind in "iu":
            limits = np.iinfo(dtype)
            yield random.integers(limits.min, limits.max, extents, dtype, endpoint=True)
        else:
            yield random.standard_normal(extents).astype(dtype)


def exact(a, b, order_a=PLAIN, order_b=PLAIN):
    wide = np.int64 if a.dtype.kind in "iu" else np.float64
    a, b = a.astype(wide).transpose(order_a), b.astype(wide).transpose(order_b)
    return a @ b, abs(a) @ abs(b)


def check(out, a, b, *orders):
    expected, magnitude = exact(a, b, *orders)
    if out.dtype == np.int32:
        assert np.array_equal(out, expected.astype(np.int32))
    else:  # each of the sums is rounded
        depth = a.size // out.shape[0]
        assert np.all(abs(out - expected) <= 2.0**-24 * depth * magnitude)


def has_amx():
    """Whether the processor has it, and the system gives its registers to this process."""
    if " amx_int8" not in pathlib.Path("/proc/cpuinfo").read_text():
        return False
    arch_prctl, request_permission, tile_data = 158, 0x1023, 18
    return ctypes.CDLL(None).syscall(arch_prctl, request_permission, tile_data) == 0


needs_amx = pytest.mark.skipif(not has_amx(), reason="the processor has no AMX, or the system denies it")
UNITS = ["amx_model", pytest.param("amx", marks=needs_amx)]
SHAPES = [(64, 64, 64), (100, 133, 77), (1, 1, 1), (130, 70, 700)]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_bf16_of_any_shape(shape, unit, tmp_path):
    a, b = operands(shape, (bfloat16, bfloat16))
    check(run(tmp_path, unit, a, b), a, b)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("orders", [(PLAIN, TURNED), (TURNED, PLAIN), (TURNED, TURNED)])
@pytest.mark.parametrize("dtype", [bfloat16, np.int8])
def test_operands_of_any_order(dtype, orders, unit, tmp_path):
    a, b = operands((100, 133, 77), (dtype, dtype), *orders)
    check(run(tmp_path, unit, a, b, *orders), a, b, *orders)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("tile", [(16, 16, 32), (8, 32, 16), (32, 16, 2), (1, 64, 64), (256, 128, 128)])
@pytest.mark.parametrize("dtype", [bfloat16, np.int8])
def test_tiles_of_any_size(dtype, tile, unit, tmp_path):
    a, b = operands((70, 90, 150), (dtype, dtype))
    check(run(tmp_path, unit, a, b, tile=tile), a, b)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("signs", [(np.int8, np.uint8), (np.uint8, np.int8), (np.uint8, np.uint8)])
def test_bytes_with_and_without_signs(signs, unit, tmp_path):
    a, b = operands((100, 133, 77), signs)
    check(run(tmp_path, unit, a, b), a, b)


@needs_amx
def test_the_model_adds_in_the_order_of_the_unit(tmp_path):
    a, b = operands((130, 70, 700), (bfloat16, bfloat16))
    assert np.array_equal(run(tmp_path, "amx", a, b), run(tmp_path, "amx_model", a, b))


@needs_amx
def test_the_unit_takes_subnormals_as_zero(tmp_path):
    a, b = np.full((1, 1), 2.0**-130, bfloat16), np.full((1, 1), 2.0**100, bfloat16)
    assert run(tmp_path, "amx", a, b) == 0


def test_infinities_and_nan(tmp_path):
    a, b = operands((64, 64, 64), (bfloat16, bfloat16))
    a[3, 5], a[7, 9], b[11, 2] = np.inf, np.nan, -np.inf
    expected = a.astype(np.float32) @ b.astype(np.float32)
    for unit in ["amx_model"] + ["amx"] * has_amx():
        out = run(tmp_path, unit, a, b)
        assert np.array_equal(np.isnan(out), np.isnan(expected)) and np.array_equal(np.isinf(out), np.isinf(expected))
