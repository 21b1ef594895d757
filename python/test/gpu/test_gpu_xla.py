# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of XLA's handler on memory of a GPU: without XLA, and in programs of JAX where that has a GPU."""

import numpy as np
import pytest
import tilewright as ct
import torch
from tilewright import _native
from xla_frames import Described, Frame, handler


@ct.kernel
def scale(x, y, factor: float, TILE: ct.Constant[int]):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


def test_a_frame_becomes_launches_on_its_stream():
    stream = torch.cuda.Stream()
    x, y = torch.arange(3000.0, device="cuda"), torch.zeros(3, 1000, device="cuda")
    torch.cuda.synchronize()
    program = _native.XlaProgram("scale", 2)
    args = Described(0, "float32", (1000,)), Described(1, "float32", (1000,)), 2.0, 128
    program.add(scale, (8,), args, [(3, [4000, 4000])])
    call = handler(_native.xla_handler_gpu)
    for _ in range(2):  # the second time it is prepared
        y.zero_()
        torch.cuda.synchronize()
        frame = Frame([x], [y], program.address, stream=stream.cuda_stream)
        assert call(frame.frame) is None and not frame.errors
        stream.synchronize()
        assert torch.equal(y, 2 * x.view(3, 1000))


@pytest.fixture(scope="module")
def jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    return jax


def test_operators_of_jax(jax):
    from tilewright.jax import empty_like, op

    @op("test_gpu::scaled")
    def scaled(x: jax.Array, factor: float) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, (ct.cdiv(x.size, 128),), scale, (x, out, factor, 128))
        return out

    @op("test_gpu::scale_", mutates="x")
    def scale_(x: jax.Array, factor: float) -> None:
        ct.launch(None, (ct.cdiv(x.size, 128),), scale, (x, x, factor, 128))

    scaled.register_autograd(lambda grad_out, factor: scaled(grad_out, factor), of=("x",))
    x = jax.numpy.arange(3000.0)
    expected = np.arange(3000.0, dtype=np.float32)
    for _ in range(3):  # then XLA may have a graph of it
        np.testing.assert_array_equal(jax.jit(lambda x: scaled(x + 1, 2.0) - 1)(x), (expected + 1) * 2 - 1)
    np.testing.assert_array_equal(jax.grad(lambda x: scaled(x, 3.0).sum())(x), np.full(3000, 3))
    mapped = jax.vmap(jax.vmap(scaled, (1, None)), (0, None))(x.reshape(3, 100, 10), 2.0)
    np.testing.assert_array_equal(mapped, expected.reshape(3, 100, 10).transpose(0, 2, 1) * 2)
    changed = jax.jit(scale_, static_argnums=1, donate_argnums=0)(x, 2.0)
    np.testing.assert_array_equal(changed, expected * 2)
