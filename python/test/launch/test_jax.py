# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single launches as functions of JAX, where that is installed."""

import functools

import numpy as np
import pytest
import tilewright as ct

jax = pytest.importorskip("jax", reason="needs JAX, which is not installed")
jax.config.update("jax_platforms", "cpu")

from tilewright.jax import InputOutput, OutputPlaceholder, cutile_call  # noqa: E402


@ct.kernel
def scale(x, y, factor: ct.Constant, TILE: ct.Constant):
    ct.store(y, ct.bid(0), ct.load(x, ct.bid(0), TILE) * factor)


@ct.kernel
def halve(x, TILE: ct.Constant):
    ct.store(x, ct.bid(0), ct.load(x, ct.bid(0), TILE) / 2)


@ct.kernel
def sum_and_difference(pair: tuple, total, difference, shift: float):
    x, y = ct.load(pair[0], ct.bid(0), 4), ct.load(pair[1], ct.bid(0), 4)
    ct.store(total, ct.bid(0), x + y + shift)
    ct.store(difference, ct.bid(0), x - y)


def test_a_kernel_inside_of_a_compiled_function():
    @functools.partial(jax.jit, static_argnums=(1, 2))
    def graph(x, factor, tile):
        grid = (ct.cdiv(x.shape[0], tile),)
        y = cutile_call(grid, scale, (x + 1, OutputPlaceholder(x.shape, x.dtype), factor, tile))
        return y, cutile_call(grid, halve, (InputOutput(y), tile)) + 1

    x = jax.numpy.arange(10, dtype=jax.numpy.float32)
    for factor in (3, 5.0, 3):
        y, z = graph(x, factor, 4)
        np.testing.assert_array_equal(y, (np.arange(10) + 1) * factor)
        np.testing.assert_array_equal(z, (np.arange(10) + 1) * factor / 2 + 1)


def test_several_results_tuples_and_numbers():
    x = jax.numpy.arange(8, dtype=jax.numpy.float32)
    placeholder = OutputPlaceholder((8,), np.float32)
    found = cutile_call((2,), sum_and_difference, ((x, x * x), placeholder, placeholder, 0.5))
    assert isinstance(found, tuple) and len(found) == 2
    np.testing.assert_array_equal(found[0], x + x * x + 0.5)
    np.testing.assert_array_equal(found[1], x - x * x)


@pytest.mark.parametrize("dtype", ["int8", "uint32", "float16", "bfloat16"])
def test_dtypes(dtype):
    x = jax.numpy.arange(8).astype(dtype)
    y = cutile_call((2,), scale, (x, OutputPlaceholder(x.shape, x.dtype), 2, 4))
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(y, np.float32), np.arange(8) * 2)


def test_an_array_of_two_axes_and_a_transposed_one():
    @ct.kernel
    def copy(x, y):
        ct.store(y, (0, 0), ct.load(x, (0, 0), (4, 8)))

    x = jax.numpy.arange(32, dtype=jax.numpy.int32).reshape(8, 4)
    y = jax.jit(lambda x: cutile_call((1,), copy, (x.T, OutputPlaceholder((4, 8), x.dtype))))(x)
    np.testing.assert_array_equal(y, np.asarray(x).T)


def test_mistakes_and_errors_of_launches():
    x = jax.numpy.arange(8, dtype=jax.numpy.float32)
    placeholder = OutputPlaceholder((8,), np.float32)
    for args, message in (
        ((x, placeholder, 2), "scale takes 4 arguments, found 3"),
        ((x, x, 2, 4), "scale: no argument is an OutputPlaceholder or an InputOutput, expected one or more"),
        (([1], placeholder, 2, 4), "argument 'x' is a list, expected a JAX array, an OutputPlaceholder"),
    ):
        with pytest.raises(TypeError, match=message):
            cutile_call((2,), scale, args)
    with pytest.raises(TypeError, match="cutile_call takes a kernel, found 3"):
        cutile_call((2,), 3, ())

    @ct.kernel
    def writes_its_input(x, y):
        ct.store(x, 0, ct.load(x, 0, 8))
        ct.store(y, 0, ct.load(x, 0, 8))

    with pytest.raises(
        Exception, match="ValueError: writes_its_input: argument 'x' is read-only, but the kernel writes"
    ):
        jax.block_until_ready(cutile_call((1,), writes_its_input, (x, placeholder)))


SMALL_FLOATS = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"]


@ct.kernel
def copy(x, y):
    ct.store(y, 0, ct.load(x, 0, 8))


@pytest.mark.parametrize("name", SMALL_FLOATS)
def test_small_floats_in_a_compiled_function(name):
    x = jax.numpy.arange(8).astype(name)
    y = jax.jit(lambda x: cutile_call((1,), copy, (x, OutputPlaceholder(x.shape, x.dtype))))(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(y).view(np.uint8), np.asarray(x).view(np.uint8))
