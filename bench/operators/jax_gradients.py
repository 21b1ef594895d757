# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forward and backward of `tilewright.jax.ops` against functions of JAX's own, all compiled by XLA."""

import jax
from jax import numpy as jnp
from tilewright.jax import ops

from bench.operators.clock import milliseconds


def normalized(x, mean):
    wide = x.astype("float32") - mean
    return wide * jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6)


def rms_norm(x, weight):
    return (normalized(x, 0) * weight).astype(x.dtype)


def layer_norm(x, weight, bias):
    return (normalized(x, x.astype("float32").mean(-1, keepdims=True)) * weight + bias).astype(x.dtype)


def cases(dtype):
    """(operator, JAX's own, arguments)"""
    keys = iter(jax.random.split(jax.random.key(0), 9))

    def numbers(*shape):
        return jax.random.normal(next(keys), shape, dtype)

    x, weight, labels = numbers(1024, 2048), numbers(2048), jax.random.randint(next(keys), (1024,), 0, 2048)
    own = jax.nn.dot_product_attention
    causal = lambda *qkv: own(*(each.swapaxes(1, 2) for each in qkv), is_causal=True).swapaxes(1, 2)  # noqa: E731
    loss = lambda x: -jax.nn.log_softmax(x.astype("float32"))[jnp.arange(1024), labels]  # noqa: E731
    yield ops.rms_norm, rms_norm, (x, weight)
    yield ops.layer_norm, layer_norm, (x, weight, weight)
    yield ops.silu_and_mul, lambda x: jax.nn.silu(x[:, :1024]) * x[:, 1024:], (x,)
    yield ops.softmax, jax.nn.softmax, (x,)
    yield jax.tree_util.Partial(ops.cross_entropy, labels=labels), loss, (x,)
    yield ops.linear, lambda x, weight: x @ weight.T, (x, numbers(2048, 2048))
    yield ops.attention, causal, tuple(numbers(1, 8, 1024, 64) for _ in range(3))


def forward_and_backward(function, arguments):
    result, backward = jax.vjp(function, *arguments)
    calls = (jax.jit(function), arguments), (jax.jit(backward), (jnp.ones_like(result),))
    return [milliseconds(lambda f=f, args=args: jax.block_until_ready(f(*args))) for f, args in calls]


def compare():
    print(f"{'ms':24} {'forward':>8} {'JAX':>8} {'backward':>8} {'JAX':>8}")
    for dtype in ("float32", "bfloat16"):
        for ours, theirs, arguments in cases(dtype):
            (forward, backward), (forward2, backward2) = (forward_and_backward(f, arguments) for f in (ours, theirs))
            name = f"{getattr(ours, '__name__', 'cross_entropy')} {dtype}"
            print(f"{name:24} {forward:8.2f} {forward2:8.2f} {backward:8.2f} {backward2:8.2f}", flush=True)
