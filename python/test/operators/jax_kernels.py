# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels and operators of JAX that several files test, and JAX on the CPU."""

import os

import pytest

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")
jax = pytest.importorskip("jax", reason="needs JAX, which is not installed")
jax.config.update("jax_platforms", "cpu")

import tilewright as ct  # noqa: E402
from operator_kernels import product_kernel, scale_kernel  # noqa: E402
from tilewright.jax import empty, empty_like, op  # noqa: E402


@ct.kernel
def sum_kernel(x, y, COLUMNS: ct.Constant[int]):
    row = ct.load(x, (ct.bid(0), 0), (1, COLUMNS))
    ct.store(y, ct.bid(0), ct.sum(row, axis=1))


@op("test::scaled")
def scaled(x: jax.Array, factor: float) -> jax.Array:
    out = empty_like(x)
    if x.size:
        args = (x.reshape(-1), out.reshape(-1), factor, 64)
        ct.launch(None, (ct.cdiv(x.size, 64),), scale_kernel, args)
    return out


scaled.register_autograd(lambda grad_out, factor: scaled(grad_out, factor), of=("x",))


@op("test::product")
def product(x: jax.Array, w: jax.Array) -> jax.Array:
    out = empty_like(x)
    ct.launch(None, (ct.cdiv(x.size, 64),), product_kernel, (x, w, out, 64))
    return out


product.register_autograd(x=lambda grad_out, w: product(grad_out, w), w=lambda grad_out, x: product(grad_out, x))


@op("test::product_", mutates="x")
def product_(x: jax.Array, w: jax.Array) -> None:
    ct.launch(None, (ct.cdiv(x.size, 64),), product_kernel, (x, w, x, 64))


@op("test::row_sums")
def row_sums(x: jax.Array) -> jax.Array:
    out = empty(x.shape[0], x.dtype)
    ct.launch(None, (x.shape[0],), sum_kernel, (x, out, 8))
    return out
