# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of JAX that are not what their kernels are."""

import dataclasses
import re
import traceback

import numpy as np
import pytest
import tilewright as ct
from jax_kernels import jax, product, scaled
from operator_kernels import product_kernel, scale_kernel
from tilewright.jax import OperatorError, empty, empty_like, op

jnp = jax.numpy
X = jax.ShapeDtypeStruct((8,), np.float32)


def example():
    return X, 2.0


def test_a_mutation_that_is_not_declared_is_refused_at_registration():
    expected = (
        "test::hidden: the kernel scale_kernel writes its parameter 'y', which is the operator's argument 'x', but"
        " mutates=() does not name it"
    )
    with pytest.raises(OperatorError, match=re.escape(expected)):

        @op("test::hidden", example=example)
        def hidden(x: jax.Array, factor: float) -> jax.Array:
            ct.launch(None, 1, scale_kernel, (x, x, factor, 8))
            return empty_like(x)


def test_a_declared_mutation_that_no_kernel_makes():
    @op("test::claimed", mutates="x")
    def claimed(x: jax.Array, factor: float) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, 1, scale_kernel, (x, out, factor, 8))
        return out

    with pytest.raises(OperatorError, match="names the argument 'x', but no kernel writes it; launched: scale_kernel"):
        claimed.check(*example())


def test_results_that_are_not_as_declared():
    def returning(function, result):
        def made(x, factor):
            out = empty_like(x)
            ct.launch(None, 1, scale_kernel, (x, out, factor, 8))
            return function(x, out)

        made.__annotations__ = {"x": jax.Array, "factor": float, "return": result}
        return lambda: op("test::returning", example=example)(made)

    one, two = jax.Array, tuple[jax.Array, jax.Array]
    for made, message in (
        (returning(lambda x, out: out, two), "the function returns 1 results, its annotation says 2"),
        (returning(lambda x, out: (out, out), one), "the function returns 2 results, its annotation says 1"),
        (returning(lambda x, out: x[2:], one), "result 0 is the argument 'x' or a view of it"),
        (returning(lambda x, out: out[2:], one), "result 0 is a part of what it allocated"),
        (returning(lambda x, out: np.zeros(3), one), "result 0 is a ndarray, expected an array that tilewright.jax"),
    ):
        with pytest.raises(OperatorError, match=message):
            made()


def test_declarations_that_say_too_little():
    def declared(annotations, name="test::declared", mutates=()):
        def made(x, y):
            return None

        made.__annotations__ = annotations
        return lambda: op(name, mutates=mutates)(made)

    array, full = jax.Array, {"x": jax.Array, "y": int, "return": jax.Array}
    for made, message in (
        (declared({"x": array, "return": array}), "the parameter 'y' has no annotation"),
        (declared({"x": array, "y": int}), "the result has no annotation"),
        (
            declared(full | {"return": int}),
            "the result is annotated <class 'int'>, expected None, jax.Array or a tuple",
        ),
        (declared(full | {"return": tuple[array, ...]}), "the result is annotated"),
        (declared(full | {"return": None}), "returns nothing and mutates nothing"),
        (declared(full, mutates="y"), "names 'y', which is no array among the parameters"),
        (declared(full, name="declared"), "an operator is called 'namespace::name'"),
    ):
        with pytest.raises(ValueError, match=message):
            made()


def test_arguments_that_are_not_as_declared():
    with pytest.raises(TypeError, match="'factor' is a value that JAX traces, but no array by its annotation"):
        jax.jit(scaled)(jnp.ones(8), 2.0)
    with pytest.raises(TypeError, match="'factor' is an unhashable list"):
        scaled(jnp.ones(8), [2.0])
    with pytest.raises(TypeError, match="missing a required argument: 'factor'"):
        scaled(jnp.ones(8))
    with pytest.raises(TypeError, match="has dtype complex64, expected one of"):
        scaled(jnp.ones(8, jnp.complex64), 2.0)
    from jax import export

    (extent,) = export.symbolic_shape("n")
    with pytest.raises(TypeError, match=r"test::product: an array of shape \(n,\), expected numbers"):
        export.export(jax.jit(product))(*[jax.ShapeDtypeStruct((extent,), "float32")] * 2)


def test_functions_that_do_more_than_launch():
    @op("test::computes")
    def computes(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    with pytest.raises(TypeError, match="is not a valid JAX type"):
        computes(jnp.ones(8))

    @op("test::reads")
    def reads(x: jax.Array) -> jax.Array:
        return np.asarray(x)

    with pytest.raises(TypeError, match="an array has no elements in the function of an operator"):
        reads(jnp.ones(8))
    with pytest.raises(TypeError, match="allocates memory in functions of operators only"):
        empty(3)
    for index, message in ((9, "index 9 for an axis of extent 8"), ((0, 0), "for an array of 1 axes")):
        with pytest.raises(IndexError, match=message):
            op("test::index")(_indexing(index))(jnp.ones(8))


def _indexing(index):
    def made(x: jax.Array) -> jax.Array:
        return x[index]

    return made


def test_arrays_in_a_dataclass():
    @dataclasses.dataclass(frozen=True)
    class Pair:
        x: object
        y: object

    @ct.kernel
    def copy(pair):
        ct.store(pair.y, 0, ct.load(pair.x, 0, 8))

    @op("test::copied")
    def copied(x: jax.Array) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, 1, copy, (Pair(x, out),))
        return out

    x = jnp.arange(24.0).reshape(3, 8)
    np.testing.assert_array_equal(copied(x[1]), x[1])
    np.testing.assert_array_equal(jax.vmap(copied)(x), x)


# ---- gradients ----


def test_backwards_that_are_refused_at_registration():
    def made(mutates=()):
        def function(x: jax.Array, w: jax.Array) -> jax.Array:
            out = empty_like(x)
            ct.launch(None, 1, product_kernel, (x, w, x if mutates else out, 8))
            return out

        return op("test::refused", mutates=mutates, example=lambda: (X, X))(function)

    for register, message in (
        (lambda o: o.register_autograd(lambda grad_out, z: grad_out), "takes 'z', expected names of arguments"),
        (lambda o: o.register_autograd(lambda grad_out: grad_out, of=("y",)), "is for 'y', which is no tensor among"),
        (lambda o: o.register_autograd(lambda grad_out: grad_out), "returns 1 results, expected 2, the gradients of x"),
        (lambda o: o.register_autograd(product, of=("x", "w")), "returns 1 results, expected 2"),
        (
            lambda o: o.register_autograd(x=lambda grad_out: grad_out[:4]),
            "returns float32\\[4\\] for the gradient of 'x', which is float32\\[8\\]",
        ),
        (
            lambda o: o.register_autograd(x=lambda grad_out: grad_out.astype("float16")),
            "returns float16\\[8\\] for the gradient of 'x', which is float32\\[8\\]",
        ),
    ):
        with pytest.raises(OperatorError, match=message):
            register(made())
    with pytest.raises(OperatorError, match="test::refused mutates x, so it has no gradient"):
        made(mutates=("x",)).register_autograd(lambda grad_out: grad_out)
    with pytest.raises(TypeError, match="takes one function, or one by each"):
        made().register_autograd()


def test_an_operator_without_a_gradient():
    @op("test::without")
    def without(x: jax.Array) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, 1, scale_kernel, (x, out, 2.0, 8))
        return out

    with pytest.raises(OperatorError, match="test::without has no gradient; register_autograd gives it one"):
        jax.grad(lambda x: without(x).sum())(jnp.ones(8))
    without.register_autograd(lambda grad_out: 2 * grad_out)  # which calls from now on have
    np.testing.assert_array_equal(jax.grad(lambda x: without(x).sum())(jnp.ones(8)), np.full(8, 2))


def test_errors_of_kernels():
    @ct.kernel
    def asserts(x, y):
        ct.assert_(ct.load(x, 0, 8) < 5, "too large")
        ct.store(y, 0, ct.load(x, 0, 8))

    @op("test::asserts")
    def asserting(x: jax.Array) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, 1, asserts, (x, out))
        return out

    np.testing.assert_array_equal(asserting(jnp.ones(8)), np.ones(8))
    with pytest.raises(Exception, match=r"TileAssertionError: .*too large"):
        jax.block_until_ready(asserting(jnp.arange(8.0)))


def test_tracebacks_have_no_frames_of_ours():
    @op("test::refuses")
    def refuses(x: jax.Array) -> jax.Array:
        return empty_like(x).reshape(3)

    with pytest.raises(ValueError, match="cannot have shape") as raised:
        refuses(jax.numpy.ones(4))
    frames = traceback.extract_tb(raised.tb)
    assert [frame.name for frame in frames] == ["test_tracebacks_have_no_frames_of_ours", "refuses"]
