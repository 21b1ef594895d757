# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Simulated kernels for GPUs give what the interpreter gives: our kernels, and modules of NVIDIA's front end.

TILEWRIGHT_ALL_TESTS=1 takes every module of the corpus, in place of ten, each under all orders of its pipelines where
these are 100 at most, else under 100 schedules at random; that takes ten minutes."""

import os

import interpreter_corpus
import ml_dtypes
import numpy as np
import nvidia_tools
import pytest
import test_matrix_formats
import tilewright as ct

ARCHITECTURES = ["sm_80", "sm_90a", "sm_100a", "sm_120a"]
ALL = os.environ.get("TILEWRIGHT_ALL_TESTS") == "1"


@ct.kernel
def gemm(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    row, column = ct.bid(0), ct.bid(1)
    total = ct.full((m, n), 0, dtype=ct.float32)
    for i in range(ct.cdiv(a.shape[1], k)):
        x = ct.load(a, index=(row, i), shape=(m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(i, column), shape=(k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.store(c, index=(row, column), tile=ct.astype(total, c.dtype))


@ct.kernel
def normalize(x, y, width: ct.Constant[int]):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, width))
    e = ct.exp(row - ct.max(row, 1, keepdims=True))
    ct.store(y, index=(ct.bid(0), 0), tile=e / ct.sum(e, 1, keepdims=True))


@ct.kernel
def count(x, total):
    tile = ct.load(x, index=(ct.bid(0),), shape=(256,))
    ct.atomic_add(total, (0,), ct.sum(tile))


@ct.kernel
def gemm_tf32(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int], across: ct.Constant[bool]):
    total = ct.full((m, n), 0, dtype=ct.float32)
    order = (0, 1) if across else (1, 0)
    for i in range(ct.cdiv(a.shape[1], k)):
        x = ct.load(a, index=(ct.bid(0), i), shape=(m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(i, ct.bid(1)), shape=(k, n), order=order, padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(ct.astype(x, ct.tfloat32), ct.astype(y, ct.tfloat32), total)
    ct.store(c, index=(ct.bid(0), ct.bid(1)), tile=total)


@ct.kernel
def gemm_of_rows(a, rows, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    block, column = ct.bid(0), ct.bid(1)
    taken = ct.load(rows, index=(block,), shape=(m,), padding_mode=ct.PaddingMode.ZERO)
    total = ct.full((m, n), 0, dtype=ct.float32)
    for i in range(ct.cdiv(a.shape[1], k)):
        x = ct.gather(a, (taken[:, None], (i * k + ct.arange(k, dtype=ct.int32))[None, :]))
        y = ct.load(b, index=(i, column), shape=(k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    below = (block * m + ct.arange(m, dtype=ct.int32))[:, None]
    ct.scatter(c, (below, (column * n + ct.arange(n, dtype=ct.int32))[None, :]), ct.astype(total, c.dtype))


@ct.kernel
def gemm_of_products(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    total = ct.ones((m, n), dtype=c.dtype)
    for i in range(ct.cdiv(a.shape[1], k)):
        x = ct.load(a, index=(ct.bid(0), i), shape=(m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(i, ct.bid(1)), shape=(k, n), padding_mode=ct.PaddingMode.ZERO)
        total = total * 0.5 + x @ y
    ct.store(c, index=(ct.bid(0), ct.bid(1)), tile=total)


@ct.kernel
def gemm_in_place(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    rows = (ct.bid(0) * m + ct.arange(m, dtype=ct.int32))[:, None]
    columns = (ct.bid(1) * n + ct.arange(n, dtype=ct.int32))[None, :]
    total = ct.gather(c, (rows, columns))
    for i in range(ct.cdiv(a.shape[1], k)):
        x = ct.load(a, index=(ct.bid(0), i), shape=(m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(i, ct.bid(1)), shape=(k, n), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, y, total)
    ct.scatter(c, (rows, columns), total)


@ct.kernel
def highest_of_quarters(x, y, width: ct.Constant[int]):
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, 4 * width))
    highest = ct.full((1, width), -100, dtype=ct.float32)
    for i in range(4):
        highest = ct.maximum(highest, ct.extract(row, index=(0, i), shape=(1, width)))
    ct.store(y, index=(ct.bid(0), 0), tile=highest)


def run(monkeypatch, target, kernel, grid, arguments, schedules=1):
    """A kernel keeps what it was compiled for, so each run compiles it again."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", target)
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", str(schedules))
    ct.kernel(kernel.function)[grid](*arguments)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float32])
def test_products(monkeypatch, architecture, dtype):
    """Kernels with products: rings of copies, a producer, TMA stores, persistent blocks; tiles that leave the
    arrays."""
    random = np.random.default_rng(0)
    a, b = random.integers(-3, 4, (192, 160)).astype(dtype), random.integers(-3, 4, (160, 208)).astype(dtype)
    found, expected = np.zeros((192, 208), dtype), a.astype(np.float32) @ b.astype(np.float32)
    run(monkeypatch, f"tileas:{architecture}", gemm, (2, 2), (a, b, found, 128, 128, 32), schedules=3)
    assert (found == expected.astype(dtype)).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("sums", [np.float16, np.float32])
def test_products_that_are_added(monkeypatch, architecture, sums):
    """Sums of f32 are what the products begin with; products in f16 are added to sums of f32 one by one."""
    random = np.random.default_rng(0)
    kind = np.float16 if sums == np.float16 else np.float32
    a, b = (random.integers(-3, 4, shape).astype(kind) for shape in ((128, 96), (96, 64)))
    found = np.zeros((128, 64), np.float32)
    run(monkeypatch, f"tileas:{architecture}", gemm_of_products, (2, 1), (a, b, found, 64, 64, 32), schedules=3)
    expected = np.ones((128, 64), np.float32)
    for i in range(0, 96, 32):
        expected = expected * np.float32(0.5) + a[:, i : i + 32].astype(np.float32) @ b[i : i + 32].astype(np.float32)
    assert (found == expected).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_products_in_place(monkeypatch, architecture):
    """Addresses and masks that are used before the loop and after it, where they are rematerialized."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, shape).astype(ml_dtypes.bfloat16) for shape in ((96, 96), (96, 200)))
    found = random.integers(-3, 4, (96, 200)).astype(np.float32)
    expected = found + a.astype(np.float32) @ b.astype(np.float32)
    run(monkeypatch, f"tileas:{architecture}", gemm_in_place, (2, 2), (a, b, found, 64, 128, 32), schedules=3)
    assert (found == expected).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("width", [64, 1024])
def test_parts_in_a_loop(monkeypatch, architecture, width):
    """Through shared memory, and from registers, where the loop is written out."""
    x = np.random.default_rng(0).integers(-50, 50, (3, 4 * width)).astype(np.float32)
    found = np.zeros((3, width), np.float32)
    run(monkeypatch, f"tileas:{architecture}", highest_of_quarters, (3,), (x, found, width))
    assert (found == x.reshape(3, 4, width).max(1)).all()


TENSOR_MEMORY = [
    # element type, tile (m, n, k), array of B as it is transposed
    (ml_dtypes.bfloat16, (64, 32, 64), False),
    (np.float16, (128, 256, 64), True),
    (np.float16, (256, 128, 32), False),
    (ml_dtypes.float8_e4m3fn, (128, 64, 64), True),
    (ml_dtypes.float8_e5m2, (64, 64, 32), True),
    (np.int8, (128, 128, 64), True),
]


@ct.kernel
def gemm_of_columns(a, b, c, m: ct.Constant[int], n: ct.Constant[int], k: ct.Constant[int]):
    row, column = ct.bid(0), ct.bid(1)
    total = ct.full((m, n), 1, dtype=c.dtype)
    for i in range(ct.cdiv(a.shape[1], k)):
        x = ct.load(a, index=(row, i), shape=(m, k), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(column, i), shape=(n, k), padding_mode=ct.PaddingMode.ZERO)
        total = ct.mma(x, ct.transpose(y), total)
    ct.store(c, index=(row, column), tile=total)


@pytest.mark.parametrize(("dtype", "tile", "transposed"), TENSOR_MEMORY)
@pytest.mark.parametrize("abi", ["tilewright", "portable"])
def test_products_in_tensor_memory(monkeypatch, dtype, tile, transposed, abi):
    """By the agents of our launches, and by all threads of others; sums that begin with zeros and with ones."""
    monkeypatch.setenv("TILEWRIGHT_LAUNCH_ABI", abi)
    random = np.random.default_rng(0)
    a, b = random.integers(-3, 4, (176, 144)).astype(dtype), random.integers(-3, 4, (144, 272)).astype(dtype)
    kind = np.int32 if dtype == np.int8 else np.float32
    grid = (-(-176 // tile[0]), -(-272 // tile[1]))
    found, expected = np.zeros((176, 272), kind), a.astype(kind) @ b.astype(kind) + int(transposed)
    if transposed:
        run(monkeypatch, "tileas:sm_100a", gemm_of_columns, grid, (a, b.T.copy(), found, *tile), schedules=2)
    else:
        run(monkeypatch, "tileas:sm_100a", gemm, grid, (a, b, found, *tile), schedules=2)
    assert (found == expected).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("across", [False, True])
def test_products_of_rounded_operands(monkeypatch, architecture, across):
    """Numbers that tf32 does not have have to be rounded when they are copied, ties to even."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-(2**13), 2**13, shape).astype(np.float32) for shape in ((70, 72), (72, 132)))
    a[0, :4] = b[:4, 0] = (8188, 8196, 4098, 4102)
    found = np.zeros((70, 132), np.float32)
    stored = b if across else np.ascontiguousarray(b.T)
    run(monkeypatch, f"tileas:{architecture}", gemm_tf32, (2, 1), (a, stored, found, 64, 256, 32, across))

    def rounded(x):
        unit = 2.0 ** np.maximum(0, np.floor(np.log2(np.maximum(1, abs(x)))) - 10)
        return np.round(x / unit) * unit

    expected = rounded(a) @ rounded(b)
    assert np.abs(found - expected).max() <= 2.0**-20 * np.abs(expected).max()


PORTABLE = [("sm_90a", "portable"), ("sm_100a", "portable")]


@pytest.mark.parametrize(("architecture", "abi"), [*((name, "tilewright") for name in ARCHITECTURES), *PORTABLE])
@pytest.mark.parametrize("depth", [160, 172])
def test_products_of_gathered_rows(monkeypatch, architecture, abi, depth):
    """Rows out of order, twice, and past the end of the array, where they are zeros."""
    monkeypatch.setenv("TILEWRIGHT_LAUNCH_ABI", abi)
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, shape).astype(ml_dtypes.bfloat16) for shape in ((60, depth), (depth, 136)))
    rows = random.integers(0, 70, 128).astype(np.int32)
    found = np.zeros((120, 136), ml_dtypes.bfloat16)
    run(monkeypatch, f"tileas:{architecture}", gemm_of_rows, (2, 2), (a, rows, b, found, 64, 128, 32), schedules=3)
    taken = np.where(rows[:, None] < 60, a[np.minimum(rows, 59)].astype(np.float32), 0)
    assert (found == (taken @ b.astype(np.float32))[:120].astype(found.dtype)).all()


@pytest.mark.parametrize("extents", [(16, 32, 64), (32, 32, 128)], ids=str)
@pytest.mark.parametrize(("dtype", "scale", "size"), test_matrix_formats.SCALED, ids=str)
def test_products_with_block_scales(monkeypatch, dtype, scale, size, extents):
    """By one instruction where sm_120 has it, taken apart where not."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", "tileas:sm_120a")
    for name, extent in zip("MNK", extents, strict=True):
        monkeypatch.setattr(test_matrix_formats, name, extent)
    kernel = ct.kernel(test_matrix_formats.scaled_product.function)
    monkeypatch.setattr(test_matrix_formats, "scaled_product", kernel)
    test_matrix_formats.test_scaled_products(dtype, scale, size)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_reductions(monkeypatch, architecture):
    x = np.random.default_rng(0).standard_normal((3, 512)).astype(np.float32)
    found, expected = np.zeros_like(x), np.zeros_like(x)
    run(monkeypatch, f"tileas:{architecture}", normalize, (3,), (x, found, 512), schedules=10)
    run(monkeypatch, "interpreter", normalize, (3,), (x, expected, 512))
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_atomics(monkeypatch, architecture):
    x, total = np.arange(1024, dtype=np.int32), np.zeros(1, np.int32)
    run(monkeypatch, f"tileas:{architecture}", count, (4,), (x, total), schedules=10)
    assert total[0] == x.sum()


@ct.kernel
def turn(x, y):
    ct.store(y, (0, 0), ct.transpose(ct.load(x, (0, 0), (256, 128))))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tiles_larger_than_shared_memory(monkeypatch, architecture):
    """128 KB of f32, of which sm_120 has 99, and 256 KB of f64, more than any has."""
    for dtype in (np.float32, np.float64):
        x = np.random.default_rng(0).standard_normal((256, 128)).astype(dtype)
        found = np.zeros((128, 256), dtype)
        run(monkeypatch, f"tileas:{architecture}", turn, (1,), (x, found))
        assert (found == x.T).all()


def test_modules_of_the_corpus(monkeypatch):
    modules = nvidia_tools.corpus()
    if modules is None:
        pytest.skip("no corpus: TILEWRIGHT_CORPUS names no directory or archive of *.tilebc")
    targets = [f"tileas:{architecture}" for architecture in ARCHITECTURES]
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "100")
    taken = modules if ALL else modules[25::140]
    failed = [row[:3] for row in interpreter_corpus.examine_all(taken, targets) if row[1] != "ran"]
    assert not failed
