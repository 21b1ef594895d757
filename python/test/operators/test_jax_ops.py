# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright.jax.ops` against the same operators on PyTorch's tensors."""

import numpy as np
import pytest
from jax_kernels import jax

torch = pytest.importorskip("torch", reason="needs PyTorch, which is not installed")

import tilewright.torch  # noqa: E402
from test_inference_ops import CASES, floats, tensor, whole  # noqa: E402
from tilewright import ops  # noqa: E402
from tilewright.jax import OperatorError  # noqa: E402
from tilewright.jax import ops as jax_ops  # noqa: E402
from tilewright.jax.from_torch import from_torch  # noqa: E402

WITH_GRADIENTS = {
    "rms_norm": (floats(6, 64), floats(64)),
    "layer_norm": (floats(2, 3, 64), floats(64), floats(64)),
    "silu_and_mul": (floats(6, 64),),
    "softmax": (floats(2, 5, 33),),
    "cross_entropy": (floats(6, 40), whole(0, 40, 6)),
    "rope": (floats(6, 4, 16), whole(0, 9, 6), floats(9, 16)),
    "linear": (floats(2, 3, 64), floats(40, 64)),
    "gemm": (floats(64, 6), floats(40, 64), True, True),
    "attention": (floats(2, 4, 16, 32), floats(2, 2, 16, 32), floats(2, 2, 16, 32)),
}
OTHERS = {
    "stencil": (floats(9, 12), (0.5, 0.25, 0.125), "9 points"),
    "embedding": (whole(0, 9, 6), floats(9, 16)),
    "transpose": (floats(6, 9),),
    "cumsum": (floats(6, 40),),
    "row_sum": (floats(6, 40),),
    "row_max": (floats(6, 40),),
    "row_argmax": (floats(6, 40),),
}


def array(value):
    return jax.numpy.asarray(value) if isinstance(value, np.ndarray) else value


def same(found, expected):
    found, expected = ((x if isinstance(x, tuple) else (x,)) for x in (found, expected))
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), theirs.detach().numpy())


@pytest.mark.parametrize("name", [*WITH_GRADIENTS, *OTHERS])
def test_results(name):
    arguments = (WITH_GRADIENTS | OTHERS)[name]
    same(getattr(jax_ops, name)(*map(array, arguments)), getattr(ops, name)(*map(tensor, arguments)))


@pytest.mark.parametrize("case", CASES)
def test_results_for_inference(case):
    with jax.enable_x64(case.__name__ == "sampled"):  # seeds are int64
        operator, arguments, expected = case(5)
        found = from_torch(operator)(*map(array, arguments))
        expected = tuple(map(torch.from_numpy, expected)) if isinstance(expected, tuple) else torch.from_numpy(expected)
        same(found, expected)


@pytest.mark.parametrize("name", WITH_GRADIENTS)
def test_gradients(name):
    arguments = WITH_GRADIENTS[name]
    of = [i for i, x in enumerate(arguments) if isinstance(x, np.ndarray) and x.dtype == np.float32]
    of = of[:1] if name == "rope" else of
    leaves = [x.requires_grad_() if i in of else x for i, x in enumerate(map(tensor, arguments))]
    result = getattr(ops, name)(*leaves)
    grad = floats(*result.shape)
    expected = torch.autograd.grad(result, [leaves[i] for i in of], torch.from_numpy(grad))

    def run(*values):
        given = list(map(array, arguments))
        for i, value in zip(of, values, strict=True):
            given[i] = value
        return getattr(jax_ops, name)(*given)

    made, backward = jax.vjp(run, *(array(arguments[i]) for i in of))
    same(made, result)
    same(jax.jit(backward)(array(grad)), expected)


@pytest.mark.parametrize("inverse", [False, True])
def test_transforms(inverse):
    x, grad = (floats(3, 64) + 1j * floats(3, 64)[::-1] for _ in range(2))
    same(jax.jit(jax_ops.fft, static_argnums=1)(array(x), inverse), ops.fft(tensor(x), inverse))
    plain = jax.numpy.fft.ifft if inverse else jax.numpy.fft.fft
    of_columns = jax.vmap(lambda x: jax_ops.fft(x, inverse), 1, 1)(array(x.reshape(3, 1, 64)))
    np.testing.assert_array_equal(of_columns[:, 0], jax_ops.fft(array(x), inverse))
    for found, expected in zip(*(gradients_of(f, array(x), array(grad))
                                 for f in (lambda x: jax_ops.fft(x, inverse), plain)), strict=True):  # fmt: skip
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def gradients_of(function, x, grad):
    """The first one, and one of that of a square: JAX's are the conjugates of PyTorch's."""
    yield jax.vjp(function, x)[1](grad)[0]
    first = jax.grad(lambda x: (jax.numpy.abs(function(x)) ** 2 * jax.numpy.arange(64)).sum())
    yield jax.grad(lambda x: (first(x).real ** 2).sum())(x)


def test_maps():
    x, weight = floats(3, 6, 64), floats(64)
    expected = ops.rms_norm(tensor(x), tensor(weight))
    same(jax.vmap(jax_ops.rms_norm, (0, None))(array(x), array(weight)), expected)
    middle = jax.vmap(jax_ops.rms_norm, (1, None), 1)(array(x), array(weight))  # rows of an item are no matrix
    same(middle, expected)


def test_arguments_that_are_mutated():
    x, residual, weight = floats(6, 64), floats(6, 64), floats(64)
    changed, out = jax_ops.add_rms_norm(*map(array, (x, residual, weight)))
    mutable = tensor(residual)
    same(out, ops.add_rms_norm(tensor(x), mutable, tensor(weight)))
    same(changed, mutable)


def test_no_elements():
    empty, weight = jax.numpy.zeros((0, 64)), jax.numpy.ones(64)
    gradient = jax.grad(lambda weight: jax_ops.rms_norm(empty, weight).sum())(weight)
    np.testing.assert_array_equal(gradient, np.zeros(64))
    np.testing.assert_array_equal(jax_ops.linear(jax.numpy.ones((2, 0)), jax.numpy.ones((3, 0))), np.zeros((2, 3)))


def test_functions_that_do_more_than_launch():
    @tilewright.torch.op("test_jax_ops::computes")
    def computes(x: torch.Tensor) -> torch.Tensor:
        return torch.sin(x)

    with pytest.raises(OperatorError, match="its function calls aten::sin; for arrays of JAX it may allocate, view"):
        from_torch(computes)(jax.numpy.ones(3))
    with pytest.raises(ValueError, match=r"weight has shape \[4\], expected \[3\]"):
        jax_ops.rms_norm(jax.numpy.ones((2, 3)), jax.numpy.ones(4))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        jax_ops.nothing  # noqa: B018


def test_numbers_that_are_filled_in():
    @tilewright.torch.op("test_jax_ops::filled")
    def filled(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        return torch.full_like(x, 7), x.new_ones(2), torch.zeros_like(x), torch.empty_like(x).fill_(3)

    same(from_torch(filled)(jax.numpy.ones(3)), filled(torch.ones(3)))
