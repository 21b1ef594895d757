# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients against differences of the functions' values, in f64 and along a random direction."""

import numpy as np
import pytest
from ml_dtypes import bfloat16

from kernels.attention.backward import attention_backward
from kernels.attention.kernel import attention
from kernels.cross_entropy.backward import cross_entropy_backward
from kernels.cross_entropy.kernel import cross_entropy
from kernels.gpu_code import compile_for_gpus
from kernels.layer_norm.backward import layer_norm_backward
from kernels.layer_norm.kernel import layer_norm
from kernels.rms_norm.backward import rms_norm_backward
from kernels.rms_norm.kernel import rms_norm
from kernels.rope.bench import angles
from kernels.rope.kernel import rope, rotated
from kernels.silu_and_mul.backward import silu_and_mul_backward
from kernels.silu_and_mul.kernel import silu_and_mul
from kernels.softmax.backward import softmax_backward
from kernels.softmax.kernel import softmax
from kernels.work import normal

STEP = 1e-5


def numbers(*shapes):
    random = np.random.default_rng(sum(map(sum, shapes)))
    return [random.standard_normal(shape) for shape in shapes]


def check(function, arguments, gradients):
    """`gradients` takes that of the result and returns those of the arguments."""
    result = function(*arguments)
    grad, *directions = numbers(result.shape, *(x.shape for x in arguments))
    ahead, behind = (
        function(*(x + sign * STEP * d for x, d in zip(arguments, directions, strict=True))) for sign in (1, -1)
    )
    expected = ((ahead - behind) / (2 * STEP) * grad).sum()
    found = sum((g * d).sum() for g, d in zip(gradients(grad), directions, strict=True))
    scale = sum(np.abs(g * d).sum() for g, d in zip(gradients(grad), directions, strict=True))
    assert abs(found - expected) <= 1e-7 * scale


@pytest.mark.parametrize("shape", [(1, 1), (5, 37), (40, 256), (300, 20)])
def test_norms(shape):
    x, weight, bias = numbers(shape, shape[1:], shape[1:])
    check(rms_norm, (x, weight), lambda grad: rms_norm_backward(grad, x, weight))
    check(layer_norm, (x, weight, bias), lambda grad: layer_norm_backward(grad, x, weight))


@pytest.mark.parametrize("shape", [(1, 2), (5, 74), (3, 4000)])
def test_silu_and_mul(shape):
    (x,) = numbers(shape)
    check(silu_and_mul, (x,), lambda grad: [silu_and_mul_backward(grad, x)])


@pytest.mark.parametrize("shape", [(1, 1), (5, 37), (2, 20000)])
def test_cross_entropy(shape):
    (x,) = numbers(shape)
    labels = np.arange(shape[0], dtype=np.int64) % shape[1]
    loss = lambda x: cross_entropy(x, labels, np.empty(shape[0]))  # noqa: E731
    check(loss, (x,), lambda grad: [cross_entropy_backward(grad, x, labels)])


@pytest.mark.parametrize("shape", [(1, 1), (5, 37), (2, 20000)])
def test_softmax(shape):
    (x,) = numbers(shape)
    check(softmax, (x,), lambda grad: [softmax_backward(grad, softmax(x))])


@pytest.mark.parametrize("interleaved", [False, True])
def test_rope(interleaved):
    (x,) = numbers((4, 3, 10))
    positions, table = np.array([3, 0, 7, 7], np.int32), angles(8, 10)
    turned = rotated(x, positions, table, interleaved=interleaved)
    np.testing.assert_array_equal(rope(x.copy(), positions, table, interleaved=interleaved), turned)
    back = rotated(turned, positions, table, interleaved=interleaved, inverse=True)
    np.testing.assert_allclose(back, x, rtol=1e-6)
    check(lambda x: rotated(x, positions, table, interleaved=interleaved), (x,),
          lambda grad: [rotated(grad, positions, table, interleaved=interleaved, inverse=True)])  # fmt: skip


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rows", [False, True])
@pytest.mark.parametrize(
    "queries, keys, heads, kv_heads, size", [(1, 1, 1, 1, 8), (70, 150, 4, 2, 24), (65, 65, 2, 2, 16)]
)
def test_attention(queries, keys, heads, kv_heads, size, rows, causal):
    q, k, v = numbers((2, heads, queries, size), (2, kv_heads, keys, size), (2, kv_heads, keys, size))
    function = lambda *arrays: attention(*arrays, causal=causal, rows=rows)  # noqa: E731
    out = function(q, k, v)
    check(function, (q, k, v), lambda grad: attention_backward(grad, q, k, v, out, causal=causal))


def test_rows_that_are_too_long():
    x, weight = np.ones((1, 20000), np.float32), np.ones(20000, np.float32)
    for backward in (rms_norm_backward, layer_norm_backward):
        with pytest.raises(ValueError, match="x has 20000 columns, expected at most 16384"):
            backward(x, x, weight)


@pytest.mark.parametrize("dtype", [np.float32, bfloat16])
def test_compiles_for_gpus(dtype):
    x, weight, labels = normal((40, 128), dtype), normal((128,), dtype), np.zeros(40, np.int64)
    q, k = normal((1, 4, 128, 64), dtype), normal((1, 2, 128, 64), dtype)
    table, positions = angles(8, 64), np.zeros(4, np.int32)
    compile_for_gpus(lambda: rms_norm_backward(x, x, weight))
    compile_for_gpus(lambda: layer_norm_backward(x, x, weight))
    compile_for_gpus(lambda: silu_and_mul_backward(x[:, :64], x))
    compile_for_gpus(lambda: cross_entropy_backward(np.ones(40, np.float32), x, labels))
    compile_for_gpus(lambda: softmax_backward(x, x))
    compile_for_gpus(lambda: rotated(q[0], positions, table, inverse=True))
    compile_for_gpus(lambda: attention_backward(q, q, k, k, q))
