# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes, parts, reductions, scans and products of tiles against NumPy."""

import math

import numpy as np
import pytest
import tilewright as ct
from language import array, run_block, text_of

RNG = np.random.default_rng(11)
X = RNG.standard_normal((16, 32)).astype(np.float32)
POSITIVE = np.abs(X) / 4 + np.float32(0.9)


def computed(function, x, shape, dtype=np.float32):
    @ct.kernel
    def kernel(out, x, INDEX: ct.Constant[tuple], SHAPE: ct.Constant[tuple]):
        ct.store(out, INDEX, function(ct.load(x, (0, 0), SHAPE)))

    out = np.zeros(shape, dtype)
    run_block(kernel, out, x, (0,) * len(shape), x.shape)
    return out


SHAPES = {
    "reshape": (lambda t: t.reshape((-1, 64)), X.reshape(8, 64)),
    "transpose": (ct.transpose, X.T),
    "permute": (lambda t: t.permute((1, 0)), X.T),
    "expand_dims": (lambda t: ct.expand_dims(t, -1), X[:, :, None]),
    "subscript": (lambda t: t[None, ..., None], X[None, :, :, None]),
    "broadcast_to": (lambda t: ct.broadcast_to(ct.sum(t, 0), (4, 32)), np.broadcast_to(X.sum(0), (4, 32))),
    "cat": (lambda t: ct.cat((t, t * 2), 0), np.concatenate([X, X * 2], 0)),
    "extract": (lambda t: ct.extract(t, (1, 2), (8, 8)), X[8:16, 16:24]),
    "insert": (lambda t: t.insert((1, 0), ct.zeros((8, 32), ct.float32)), np.concatenate([X[:8], X[:8] * 0])),
    "full": (lambda t: ct.full((4, 4), 2.5, ct.float32), np.full((4, 4), 2.5)),
    "arange": (lambda t: ct.arange(8, dtype=ct.float32, start=2, step=3), 2 + 3 * np.arange(8)),
    "astile": (lambda t: ct.astile(((1, 2), (3, 4)), dtype=ct.float32), np.array([[1, 2], [3, 4]])),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shape_functions(name):
    function, expected = SHAPES[name]
    np.testing.assert_allclose(computed(function, X, expected.shape), expected, rtol=1e-5, atol=1e-5)


REDUCTIONS = {
    "sum of rows": (lambda t: ct.sum(t, axis=1), POSITIVE.sum(1)),
    "sum keeps dims": (lambda t: ct.sum(t, axis=0, keepdims=True), POSITIVE.sum(0, keepdims=True)),
    "sum of all": (lambda t: ct.sum(t), POSITIVE.sum()[None]),
    "sum of two axes": (lambda t: ct.sum(t, axis=(0, -1)), POSITIVE.sum()[None]),
    "product": (lambda t: ct.prod(t, axis=0), POSITIVE.prod(0)),
    "maximum": (lambda t: ct.max(t, axis=1), POSITIVE.max(1)),
    "minimum of all": (lambda t: ct.min(t), POSITIVE.min()[None]),
    "argmax": (lambda t: ct.argmax(t, axis=1).astype(ct.float32), POSITIVE.argmax(1)),
    "argmin of all": (lambda t: ct.argmin(t).astype(ct.float32), POSITIVE.argmin()[None]),
    "reduce": (lambda t: ct.reduce(t, 1, lambda a, b: ct.maximum(a, b), -math.inf), POSITIVE.max(1)),
    "reduce of a tuple": (
        lambda t: ct.reduce((t, t * 2), 1, lambda a, b, c, d: (a + c, b + d), (0.0, 0.0))[1],
        2 * POSITIVE.sum(1),
    ),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    function, expected = REDUCTIONS[name]
    np.testing.assert_allclose(computed(function, POSITIVE, expected.shape), expected, rtol=1e-5)


def test_arguments_of_extremes_prefer_the_first():
    x = np.zeros((16, 32), np.float32)
    x[:, 5] = x[:, 9] = 1
    assert computed(lambda t: ct.argmax(t, axis=1), x, (16,), np.int32).tolist() == [5] * 16


def test_scans_become_scan_operations():
    @ct.kernel
    def kernel(x):
        t = ct.load(x, (0, 0), (16, 32))
        ct.store(x, (0, 0), ct.cumsum(t, axis=1, reverse=True) + ct.cumprod(t))
        ct.store(x, (0, 0), ct.scan(t, 1, lambda a, b: ct.maximum(a, b), -math.inf))

    text = text_of(kernel, array(ndim=2))
    assert "dim=1 reverse=true identities=[0.0" in text
    assert "dim=0 reverse=false identities=[1.0" in text
    assert "identities=[0xFF800000 : f32]" in text


@pytest.mark.parametrize("dtype", [ct.float32, ct.float16, ct.bfloat16])
def test_products(dtype):
    def product(t):
        half = t.astype(dtype)
        return ct.mma(half, half.transpose(), ct.full((16, 16), 1.0, ct.float32))

    np.testing.assert_allclose(computed(product, X, (16, 16)), X @ X.T + 1, rtol=2e-2, atol=0.2)


def test_matmul_of_matrices_and_vectors():
    np.testing.assert_allclose(computed(lambda t: t @ t.transpose(), X, (16, 16)), X @ X.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(computed(lambda t: t @ ct.sum(t, 0), X, (16,)), X @ X.sum(0), rtol=1e-4, atol=1e-3)


def test_batched_products_repeat_the_batch():
    @ct.kernel
    def kernel(out, x):
        t = ct.load(x, (0, 0), (16, 32))
        batch = ct.cat((t[None], t[None] * 2), 0)
        ct.store(out, (0, 0, 0), ct.mma(batch, t.transpose(), ct.zeros((2, 16, 16), ct.float32)))

    out = np.zeros((2, 16, 16), np.float32)
    run_block(kernel, out, X)
    np.testing.assert_allclose(out, np.stack([X @ X.T, 2 * X @ X.T]), rtol=1e-4, atol=1e-4)


def test_two_products_of_gathered_rows_in_a_loop():
    """Both read the rows where they were gathered, also where two steps are multiplied at once."""

    @ct.kernel
    def kernel(out, x, w, index):
        rows = ct.load(index, (0,), (4,))
        first, second = ct.zeros((4, 64), ct.float32), ct.zeros((4, 64), ct.float32)
        for k in range(8):
            left = ct.gather(x, (rows[:, None], k * 64 + ct.arange(64, dtype=ct.int32)[None, :]))
            first = ct.mma(left, ct.load(w, (0, k, 0), (1, 64, 64), order=(0, 2, 1)).reshape((64, 64)), first)
            second = ct.mma(left, ct.load(w, (1, k, 0), (1, 64, 64), order=(0, 2, 1)).reshape((64, 64)), second)
        ct.store(out, (0, 0, 0), ct.cat((first[None], second[None]), 0))

    x, w = RNG.standard_normal((4, 512), np.float32), RNG.standard_normal((2, 64, 512), np.float32)
    out = np.zeros((2, 4, 64), np.float32)
    run_block(kernel, out, x, w, np.array([2, 0, 3, 1], np.int32))
    np.testing.assert_allclose(out, x[[2, 0, 3, 1]] @ w.transpose(0, 2, 1), rtol=1e-3, atol=1e-3)


def test_product_of_a_part_that_cuts_rows():
    @ct.kernel
    def kernel(out, x, w):
        odd = ct.extract(ct.load(x, (0, 0), (16, 32)).reshape((256, 2)), (0, 1), (256, 1)).reshape((16, 16))
        ct.store(out, (0, 0), ct.mma(ct.load(w, (0, 0), (16, 16)), odd, ct.zeros((16, 16), ct.float32)))

    out = np.zeros((16, 16), np.float32)
    w = np.ascontiguousarray(X[:, :16])
    run_block(kernel, out, X, w)
    np.testing.assert_allclose(out, w @ X.reshape(256, 2)[:, 1].reshape(16, 16), rtol=1e-4, atol=1e-4)


def test_reductions_of_coordinates():
    """No array tells how long the reduced axis is."""
    i = np.arange(64)
    out = computed(lambda t: ct.sum(ct.arange(64, dtype=ct.int32) * 3 + 1, keepdims=True), X, (1,), np.int32)
    assert out == (i * 3 + 1).sum()
    cross = computed(lambda t: ct.sum(_distances(), 0), X, (32,), np.int32)
    np.testing.assert_array_equal(cross, abs(i[:16, None] - i[None, :32]).sum(0))


def _distances():
    rows, columns = ct.arange(16, dtype=ct.int32), ct.arange(32, dtype=ct.int32)
    return abs(rows[:, None] - columns[None, :])
