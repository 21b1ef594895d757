# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of JAX: compiled, mapped over, differentiated, on several devices, in place."""

import concurrent.futures
import functools

import numpy as np
import pytest
import tilewright as ct
from jax_kernels import jax, product, product_, row_sums, scale_kernel, scaled
from operator_kernels import product_kernel
from tilewright.jax import OperatorError, empty, empty_like, full, op, zeros, zeros_like

jnp = jax.numpy


def numbers(*shape):
    return jnp.arange(1, 1 + np.prod(shape), dtype=jnp.float32).reshape(shape)


def same(found, expected):
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


def test_a_call_and_a_compiled_function():
    x = numbers(200)
    same(scaled(x, 2.0), x * 2)
    same(scaled(factor=3.0, x=np.asarray(x)), x * 3)
    same(jax.jit(lambda x: scaled(x + 1, 2.0) - 1)(x), (x + 1) * 2 - 1)
    same(jax.jit(scaled, static_argnames="factor")(x, factor=4.0), x * 4)
    assert jax.eval_shape(functools.partial(scaled, factor=2.0), x).shape == (200,)
    assert scaled(numbers(0), 2.0).shape == (0,)
    same(jax.lax.scan(lambda carry, row: (product(carry, row), None), x[:4], numbers(3, 4))[0], [45, 240, 693, 1536])


def test_a_call_where_nothing_is_compiled():
    with jax.disable_jit():
        same(product(numbers(8), numbers(8)), numbers(8) ** 2)
        same(jax.vmap(jax.grad(lambda x: scaled(x, 2.0).sum()))(numbers(3, 8)), np.full((3, 8), 2))


def test_numbers_that_are_equal_but_not_the_same():
    x = numbers(3)
    assert [float(scaled(x, factor)[1]) for factor in (1, 1.0, True, 0.0, -0.0)] == [2, 2, 2, 0, 0]
    assert np.signbit(scaled(x, -0.0)).all() and not np.signbit(scaled(x, 0.0)).any()


def test_memory_to_work_in_and_several_results():
    @op("test::both")
    def both(x: jax.Array, others: list[jax.Array], w: jax.Array | None = None) -> tuple[jax.Array, jax.Array]:
        scratch, first, second = empty_like(x), empty(x.shape, x.dtype), empty_like(x)
        ct.launch(None, 1, scale_kernel, (x, scratch, 2.0, 8))
        ct.launch(None, 1, scale_kernel, (scratch, first, 2.0, 8))
        ct.launch(None, 1, scale_kernel, (others[1] if w is None else w, second, 2.0, 8))
        return second.reshape(2, 4), first

    x = numbers(8)
    second, first = both(x, [x, x + 1])
    same(first, x * 4)
    same(second, (x + 1).reshape(2, 4) * 2)
    same(both(x, [x, x], x + 2)[0].reshape(-1), (x + 2) * 2)
    same(jax.vmap(both, (0, None))(numbers(3, 8), [x, x])[1], numbers(3, 8) * 4)


def test_memory_that_has_numbers():
    @op("test::filled")
    def filled(x: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        return zeros_like(x), full((2, 3), 7, "int32"), zeros((), "float32")

    like_x, sevens, nothing = filled(numbers(5))
    same(like_x, np.zeros(5))
    same(sevens, np.full((2, 3), 7))
    assert nothing == 0
    same(jax.vmap(filled)(numbers(4, 5))[1], np.full((4, 2, 3), 7))


def test_views():
    @op("test::columns")
    def columns(x: jax.Array) -> jax.Array:
        out = empty((x.shape[1] // 2, x.shape[0]), x.dtype)
        for i in range(out.shape[0]):
            ct.launch(None, 1, scale_kernel, (x.T[2 * i], out[..., None][i, :, 0], 1.0, 8))
        return out

    x = numbers(8, 6)
    same(columns(x), x.T[::2])
    same(jax.vmap(columns, in_axes=2)(numbers(8, 6, 3)), numbers(8, 6, 3).transpose(2, 1, 0)[:, ::2])


# ---- vmap ----


@pytest.mark.parametrize("axis, is_moved", [(0, False), (1, False), (2, True)])
def test_an_axis_is_mapped_over_without_a_copy(axis, is_moved):
    x = numbers(8, 8, 8)
    mapped = jax.jit(jax.vmap(row_sums, in_axes=axis))
    same(mapped(x), np.moveaxis(np.asarray(x), axis, 0).sum(-1))
    text = mapped.lower(x).as_text()
    assert text.count("custom_call") == 1 and ("transpose" in text) == is_moved


def test_an_argument_that_is_not_mapped_over():
    x, w = numbers(3, 8), numbers(8)
    same(jax.vmap(product, (0, None))(x, w), x * w)
    same(jax.vmap(product, (None, 0))(w, x), x * w)
    same(jax.vmap(product, (1, 0))(x.T, x), x * x)


def test_nested_maps():
    x, w = numbers(2, 3, 8), numbers(3, 8)
    same(jax.vmap(jax.vmap(product))(x, x), x * x)  # one axis of the grid
    same(jax.vmap(jax.vmap(product), (0, None))(x, w), x * w)  # a loop and an axis
    same(jax.vmap(jax.vmap(product, (0, None)), (None, 0))(w, x[:, 0]), x[:, :1] * w)
    same(
        jax.vmap(jax.vmap(scaled, (1, None)), (1, None))(numbers(8, 3, 2), 2.0), numbers(8, 3, 2).transpose(1, 2, 0) * 2
    )


def test_a_view_that_only_a_row_major_item_has():
    x = numbers(4, 6, 3)  # each item as rows would have to be one run of memory
    same(jax.vmap(lambda x: scaled(x, 2.0), in_axes=1)(x), np.moveaxis(np.asarray(x), 1, 0) * 2)


def test_maps_of_extents_that_no_grid_has():
    assert jax.vmap(product, (0, None))(jnp.ones((0, 8)), numbers(8)).shape == (0, 8)
    same(jax.vmap(product, (0, None))(jnp.ones((70000, 2)), numbers(2)).sum(0), [70000, 140000])


def test_a_kernel_that_takes_a_list_over_a_batch():
    @ct.kernel
    def total(xs: list, y):
        ct.store(y, 0, ct.load(xs[0], 0, 8) + ct.load(xs[1], 0, 8))

    @op("test::total")
    def summed(x: jax.Array, y: jax.Array) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, 1, total, ([x, y], out))
        return out

    x = numbers(3, 8)
    same(jax.vmap(summed, (0, None))(x, x[0]), x + x[0])


def test_a_rule_for_vmap_of_the_users_own():
    @op("test::own")
    def own(x: jax.Array, w: jax.Array) -> jax.Array:
        return product.function(x, w)

    seen = []

    def batched(x, w):
        seen.append((x.shape, w.shape))
        return x * w + 1

    own.register_vmap(batched)
    own.register_autograd(x=lambda grad_out, w: grad_out * w)
    x, w = numbers(3, 8), numbers(8)
    same(own(x[0], w), x[0] * w)
    same(jax.vmap(own, (0, None))(x, w), x * w + 1)
    assert seen[0] == ((3, 8), (3, 8))
    same(jax.vmap(jax.grad(lambda x: own(x, w).sum()))(x), np.broadcast_to(w, (3, 8)))


# ---- gradients ----


def test_gradients():
    x, w = numbers(8), numbers(8) + 1
    same(jax.grad(lambda x: (scaled(x, 3.0) ** 2).sum())(x), 18 * x)
    for compiled in (lambda f: f, jax.jit):
        found = compiled(jax.grad(lambda x, w: (product(x, w) * x).sum(), (0, 1)))(x, w)
        same(found[0], 2 * x * w)
        same(found[1], x * x)
    second = jax.grad(lambda x: jax.grad(lambda x: (product(x, w) * product(x, w)).sum())(x).sum())(x)
    same(second, 2 * w * w)
    same(jax.vmap(jax.grad(lambda x, w: product(x, w).sum(), 1), (0, None))(numbers(3, 8), w), numbers(3, 8))
    same(jax.grad(lambda w: jax.vmap(product, (0, None))(numbers(3, 8), w).sum())(w), numbers(3, 8).sum(0))


def test_only_the_gradients_that_are_needed_are_computed():
    @op("test::counted")
    def counted(x: jax.Array, w: jax.Array) -> jax.Array:
        return product.function(x, w)

    seen = []
    counted.register_autograd(
        x=lambda grad_out, w: (seen.append("x"), product(grad_out, w))[1],
        w=lambda grad_out, x: (seen.append("w"), product(grad_out, x))[1],
    )
    jax.grad(lambda x, w: counted(x, w).sum())(numbers(8), numbers(8))
    assert seen == ["x"]


def test_a_backward_that_takes_results_of_which_one_has_no_gradient():
    @op("test::pair")
    def pair(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        first, second = empty_like(x), empty_like(x)
        ct.launch(None, 1, scale_kernel, (x, first, 2.0, 8))
        ct.launch(None, 1, scale_kernel, (x, second, 3.0, 8))
        return first, second

    pair.register_autograd(lambda grad_a, grad_b, a: 2 * grad_a + 3 * grad_b + 0 * a, results=("a", "b"))
    same(jax.grad(lambda x: pair(x)[1].sum())(numbers(8)), np.full(8, 3))


# ---- in place, and on several devices and threads ----


def test_an_argument_that_is_mutated():
    x, w = numbers(8), numbers(8) + 1
    same(product_(x, w), x * w)
    same(x, numbers(8))  # JAX's arrays do not change
    same(product_(x, x), x * x)
    both = jax.jit(lambda x: (product_(x, x), product_(x, x + 1), x))(x)
    for found, expected in zip(both, (x * x, x * (x + 1), x), strict=True):
        same(found, expected)
    same(jax.vmap(product_, (1, None), out_axes=1)(numbers(8, 3), w), numbers(8, 3) * w[:, None])
    same(jax.vmap(product_, (None, 0))(w, numbers(3, 8)), numbers(3, 8) * w)


def test_a_donated_argument_is_mutated_in_place():
    x = numbers(4096)
    expected, address = np.asarray(x) * 2, x.unsafe_buffer_pointer()
    y = jax.jit(product_, donate_argnums=0)(x, jnp.full(4096, 2.0))
    assert x.is_deleted() and y.unsafe_buffer_pointer() == address
    same(y, expected)


def test_mutated_arguments_come_before_results():
    @op("test::mixed", mutates=("xs",))
    def mixed(w: jax.Array, xs: list[jax.Array]) -> jax.Array:
        out = empty_like(w)
        ct.launch(None, 1, scale_kernel, (w, out, 2.0, 8))
        for x in xs:
            ct.launch(None, 1, scale_kernel, (x, x, 3.0, 8))
        return out

    (a, b), out = mixed(numbers(8), [numbers(8), numbers(8) + 1])
    same(a, numbers(8) * 3)
    same(b, (numbers(8) + 1) * 3)
    same(out, numbers(8) * 2)


def test_arrays_of_numpy_are_constants():
    weights = np.arange(8, dtype=np.float32)

    @op("test::weighted")
    def weighted(x: jax.Array) -> jax.Array:
        out = empty_like(x)
        for i in range(2):
            ct.launch(None, (1,), product_kernel, (out if i else x, weights, out, 8))
        return out

    x = numbers(8) + 1
    same(jax.jit(lambda x: weighted(x) + 1)(x), x * weights**2 + 1)
    rows = jax.vmap(jax.vmap(weighted), 1, 1)(numbers(48).reshape(2, 3, 8))
    same(rows, numbers(48).reshape(2, 3, 8) * weights**2)


def test_constants_have_dtypes_of_jax():
    @ct.kernel
    def narrow(x, y):
        ct.store(y, 0, ct.load(x, 0, 8).astype(y.dtype))

    @op("test::narrowed")
    def narrowed(x: jax.Array) -> jax.Array:
        out = empty_like(x)
        ct.launch(None, (1,), narrow, (np.arange(8.0), out))
        return out

    with jax.enable_x64(True):
        same(narrowed(numbers(8)), np.arange(8))
    with pytest.raises(OperatorError, match="dtype float64, which JAX has with jax_enable_x64 only"):
        jax.jit(lambda x: narrowed(x) + 1)(numbers(8))


def test_constants_are_not_written():
    @op("test::writes_constant")
    def writes_constant(x: jax.Array) -> jax.Array:
        ct.launch(None, (1,), product_kernel, (x, x, np.ones(8, np.float32), 8))
        return empty_like(x)

    with pytest.raises(jax.errors.JaxRuntimeError, match="argument 'y' is read-only, but the kernel writes it"):
        writes_constant(numbers(8))


def test_shard_map():
    mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec
    x, w = numbers(32), numbers(8)
    shards = functools.partial(jax.shard_map, mesh=mesh, out_specs=spec("d"))
    both = jax.jit(shards(product, in_specs=(spec("d"), spec())))
    same(both(x, w), (x.reshape(4, 8) * w).reshape(-1))
    same(jax.grad(lambda w: both(x, w).sum())(w), x.reshape(4, 8).sum(0))
    same(shards(product_, in_specs=(spec("d"), spec("d")))(x, x), x * x)
    mapped = shards(jax.vmap(product, (0, None)), in_specs=(spec("d"), spec()))
    same(mapped(x.reshape(4, 8), w), x.reshape(4, 8) * w)
    same(product(jax.device_put(x, jax.sharding.NamedSharding(mesh, spec("d"))), x), x * x)  # XLA gathers it


def test_calls_of_several_threads():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda i: jax.jit(lambda x: scaled(x, 2.0) + i)(numbers(100)), range(40))
    for i, each in enumerate(found):
        same(each, numbers(100) * 2 + i)


def test_a_function_for_a_gpu_has_the_same_call():
    traced = jax.jit(lambda x, w: product_(scaled(x, 2.0), w)).trace(numbers(8), numbers(8))
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert text.count("custom_call @tilewright(") == 2 and text.count("output_operand_alias<") == 1
