# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products as kernel libraries write them: persistent and batched, and attention over latent keys.

Their loads are boxes of arrays of rank three, reshaped and turned before they are multiplied, in a loop inside of
another or several a loop. Simulated kernels for GPUs give what NumPy does; large tiles are only compiled."""

import sys

import numpy as np
import pytest
import tilewright as ct
from tilewright import _native
from tilewright.compilation import (
    ArrayConstraint,
    CallingConvention,
    KernelSignature,
    ScalarConstraint,
    export_kernel,
)

ARCHITECTURES = ["sm_80", "sm_90a", "sm_100a", "sm_120a"]
LAUNCHERS = [*((name, "tilewright") for name in ARCHITECTURES), ("sm_90a", "portable"), ("sm_100a", "portable")]
ConstInt = ct.Constant[int]
ConstBool = ct.Constant[bool]
ZERO = ct.PaddingMode.ZERO
LOWEST = -1e30


@ct.kernel
def batched(a, b, c, TURNED: ConstBool, M: ConstInt, N: ConstInt, K: ConstInt):
    """c[i] = a[i] @ b[i]; TURNED: a lies as (batch, k, m), b as (batch, n, k), and tiles are transposed."""
    rows, columns = ct.cdiv(c.shape[1], M), ct.cdiv(c.shape[2], N)
    depth = a.shape[1] if TURNED else a.shape[2]
    for t in range(ct.bid(0), c.shape[0] * rows * columns, ct.num_blocks(0)):
        i = t // (rows * columns)
        m, n = t % (rows * columns) // columns, t % columns
        acc = ct.zeros((M, N), dtype=ct.float32)
        for k in range(ct.cdiv(depth, K)):
            if TURNED:
                x = ct.load(a, (i, k, m), (1, K, M), padding_mode=ZERO, latency=3).reshape((K, M)).transpose()
                y = ct.load(b, (i, n, k), (1, N, K), padding_mode=ZERO, latency=3).reshape((N, K)).transpose()
            else:
                x = ct.load(a, (i, m, k), (1, M, K), padding_mode=ZERO).reshape((M, K))
                y = ct.load(b, (i, k, n), (1, K, N), padding_mode=ZERO).reshape((K, N))
            acc = ct.mma(x, y, acc)
        ct.store(c, (i, m, n), ct.astype(acc, c.dtype).reshape((1, M, N)))


@ct.kernel
def latent(
    q, q_pe, keys, k_pe, out, sums, scale: float, H: ConstInt, N: ConstInt, D: ConstInt, P: ConstInt, TURNED: ConstBool
):
    """Attention of H heads over one array of keys that are the values, too, a part of them for each block."""
    heads, i, part = ct.bid(0), ct.bid(1), ct.bid(2)
    tile_q = ct.load(q, (i, 0, heads), (1, D, H), order=(0, 2, 1), latency=2).reshape((D, H))
    tile_q_pe = ct.load(q_pe, (i, 0, heads), (1, P, H), order=(0, 2, 1), latency=2).reshape((P, H))
    highest = ct.full((H,), LOWEST, dtype=ct.float32)
    total = ct.zeros((H,), dtype=ct.float32)
    acc = ct.zeros((D, H), dtype=ct.float32)
    tiles = ct.cdiv(keys.shape[1], N)
    each = ct.cdiv(tiles, ct.num_blocks(2))
    for j in range(part * each, ct.minimum(tiles, (part + 1) * each)):
        k = ct.load(keys, (i, j, 0), (1, N, D), padding_mode=ZERO, latency=2).reshape((N, D))
        kp = ct.load(k_pe, (i, j, 0), (1, N, P), padding_mode=ZERO, latency=2).reshape((N, P))
        scores = ct.mma(kp, tile_q_pe, ct.mma(k, tile_q, ct.zeros((N, H), dtype=ct.float32)))
        number = (j * N + ct.arange(N, dtype=ct.int32))[:, None]
        scores = ct.where(number < keys.shape[1], scores * scale, LOWEST)
        now = ct.maximum(highest, ct.max(scores, 0))
        powers, rest = ct.exp2(scores - now[None, :]), ct.exp2(highest - now)
        total = total * rest + ct.sum(powers, 0)
        if TURNED:
            v = ct.transpose(ct.load(keys, (i, j, 0), (1, N, D), padding_mode=ZERO, latency=2).reshape((N, D)))
        else:
            v = ct.load(keys, (i, 0, j), (1, D, N), order=(0, 2, 1), padding_mode=ZERO, latency=2).reshape((D, N))
        acc = ct.mma(v, ct.astype(powers, keys.dtype), acc * rest[None, :])
        highest = now
    ct.store(out, (i, part, heads, 0), ct.transpose(acc / total[None, :]).reshape((1, 1, H, D)))
    ct.store(sums, (i, part, heads), (highest + ct.log2(total)).reshape((1, 1, H)))


def on_host(monkeypatch, architecture, abi, kernel, grid, arguments):
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{architecture}")
    monkeypatch.setenv("TILEWRIGHT_LAUNCH_ABI", abi)
    ct.kernel(kernel.function)[grid](*arguments)


@pytest.mark.parametrize(("architecture", "abi"), LAUNCHERS)
@pytest.mark.parametrize("turned", [False, True])
def test_batched_products(monkeypatch, architecture, abi, turned):
    """Three blocks take eight tiles, which leave the arrays."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((2, 72, 80), (2, 80, 136)))
    found = np.zeros((2, 72, 136), np.float32)
    stored = [np.ascontiguousarray(x.swapaxes(1, 2)) if turned else x for x in (a, b)]
    on_host(monkeypatch, architecture, abi, batched, (3,), (*stored, found, turned, 64, 128, 32))
    assert (found == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("turned", [False, True])
def test_rows_that_begin_anywhere(monkeypatch, architecture, turned):
    """Odd numbers of columns: threads load the tiles of the next iteration before they wait for this one's."""
    random = np.random.default_rng(0)
    a, b = (random.integers(-3, 4, shape).astype(np.float16) for shape in ((1, 67, 141), (1, 141, 131)))
    found = np.zeros((1, 67, 131), np.float32)
    stored = [np.ascontiguousarray(x.swapaxes(1, 2)) if turned else x for x in (a, b)]
    on_host(monkeypatch, architecture, "tilewright", batched, (3,), (*stored, found, turned, 64, 128, 32))
    assert (found == a.astype(np.float32) @ b.astype(np.float32)).all()


@pytest.mark.parametrize(("architecture", "abi"), LAUNCHERS)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("parts", [1, 2])
def test_latent_attention(monkeypatch, architecture, abi, turned, parts):
    """Plain, and split over keys, of which the last tile is a part."""
    random = np.random.default_rng(0)
    heads, keys, deep, rotated, scale = 16, 144, 128, 64, 0.05
    q, k = random.standard_normal((1, heads, deep)), random.standard_normal((1, keys, deep))
    q_pe, k_pe = random.standard_normal((1, heads, rotated)), random.standard_normal((1, keys, rotated))
    q, k, q_pe, k_pe = (x.astype(np.float16) for x in (q, k, q_pe, k_pe))
    out, sums = np.zeros((1, parts, heads, deep), np.float32), np.zeros((1, parts, heads), np.float32)
    arguments = (q, q_pe, k, k_pe, out, sums, scale, 16, 64, deep, rotated, turned)
    on_host(monkeypatch, architecture, abi, latent, (1, 1, parts), arguments)
    scores = (q[0].astype(float) @ k[0].astype(float).T + q_pe[0].astype(float) @ k_pe[0].astype(float).T) * scale
    powers = np.exp2(scores)
    each = (3 // parts + 3 % parts) * 64  # of three tiles
    for part in range(parts):
        own = slice(part * each, (part + 1) * each)
        total = powers[:, own].sum(1)
        np.testing.assert_allclose(sums[0, part], np.log2(total), rtol=1e-3)
        np.testing.assert_allclose(out[0, part], powers[:, own] @ k[0, own] / total[:, None], atol=2e-3)


def array(dtype, rank):
    return ArrayConstraint(
        dtype,
        rank,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        stride_constant=(None,) * (rank - 1) + (1,),
        stride_divisible_by=(16,) * (rank - 1) + (1,),
        shape_divisible_by=16,
        base_addr_divisible_by=16,
        alias_groups=(),
        may_alias_internally=False,
    )


def assemble(tmp_path, architecture, kernel, parameters):
    """Where an assembler of NVIDIA's is found, to a cubin."""
    path = tmp_path / "kernel.tilebc"
    signature = KernelSignature(parameters, CallingConvention.cutile_python_v1())
    export_kernel(kernel, [signature], path, output_format="tileir_bytecode")
    level = "cubin" if _native.find_assemblers(sys.path) else "ptx"
    target = f"nvidia:{architecture}"
    made = _native.compile_to(path.read_bytes(), "kernel", target, level, packages=sys.path, time_limit=60)
    assert made.output


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("tile", [(128, 128, 64), (256, 256, 64)], ids=str)
def test_batched_products_assemble(tmp_path, architecture, turned, tile):
    """With 256x256 a thread has more sums than registers."""
    half = ct.float16
    assemble(tmp_path, architecture, batched, [array(half, 3), array(half, 3), array(half, 3), turned, *tile])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("turned", [False, True])
def test_latent_attention_assembles(tmp_path, architecture, turned):
    """Sums of (512, 16), keys of (128, 512) and of (128, 64)."""
    half, single = ct.float16, ct.float32
    arrays = [array(half, 3)] * 4 + [array(single, 4), array(single, 3), ScalarConstraint(single)]
    assemble(tmp_path, architecture, latent, [*arrays, 16, 128, 512, 64, turned])


@ct.kernel
def chained(a, b, c, out, STEPS: ConstInt, M: ConstInt, K: ConstInt, N: ConstInt, D: ConstInt):
    """out = sum of a[i] @ max(b[i] @ c, 0): threads write both operands of the second product to shared memory."""
    acc = ct.zeros((M, N), dtype=ct.float32)
    last = ct.load(c, (0, 0), (D, N))
    for i in range(STEPS):
        inner = ct.mma(ct.load(b, (i, 0), (K, D)), last, ct.zeros((K, N), dtype=ct.float32))
        inner = ct.maximum(inner, 0).astype(a.dtype)
        acc = ct.mma(ct.maximum(ct.load(a, (i, 0), (M, K)), -2), inner, acc)
    ct.store(out, (0, 0), acc)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_120"])
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [(np.float32, (64, 256, 64, 32)), (np.float16, (128, 256, 256, 64)), (np.float32, (64, 512, 128, 16))],
)
def test_operands_that_do_not_fit_shared_memory_together(dtype, shape, architecture, monkeypatch):
    """Such a product is split along K."""
    monkeypatch.setenv("TILEWRIGHT_TARGET", f"tileas:{architecture}")
    m, k, n, d = shape
    steps = 2
    rng = np.random.default_rng(5)
    draw = lambda *size: rng.integers(-2, 3, size).astype(dtype)  # noqa: E731
    a, b, c, out = draw(steps * m, k), draw(steps * k, d), draw(d, n), np.zeros((m, n), np.float32)
    ct.launch(None, (1,), chained, (a, b, c, out, steps, m, k, n, d))
    exact = [x.astype(np.float64) for x in (a, b, c)]
    expected = sum(
        exact[0][i * m : (i + 1) * m] @ np.maximum(exact[1][i * k : (i + 1) * k] @ exact[2], 0) for i in range(steps)
    )
    np.testing.assert_array_equal(out, expected)
