# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every name, parameter and construct of docs/language.md has a test; here are those that no other test has: each
operation under its name, with each optional parameter, against NumPy."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import tilewright as ct
from language import array, run_block, scalar, text_of
from tilewright import _native, compilation, dtypes
from tilewright._frontend.ops.conversions import conversion_modes

ROOT = Path(__file__).resolve().parents[3]
A = np.array([1.5, -2.25, 3.0, 0.5, -0.75, 8.0, 7.5, -6.0], np.float32)
B = np.array([0.5, 3.0, -1.5, 0.5, 2.0, 0.25, -7.5, 4.0], np.float32)
K = np.array([7, -9, 100, 3, -4, 12, 0, 5], np.int32)
J = np.array([2, 4, 7, 3, 3, 5, 6, 1], np.int32)


def generator():
    spec = importlib.util.spec_from_file_location("generate_language", ROOT / "docs/generate_language.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_every_row_and_every_row_a_test():
    page = generator()
    named = page.rows_of_page(page.PAGE.read_text())
    rows = [(title, label) for title, _, label, _ in page.all_rows()]
    assert list(named) == rows, "run docs/generate_language.py"
    stale = [
        (label, named[title, label])
        for title, row, label, _ in page.all_rows()
        if row not in page.uses().get(named[title, label], ())
    ]
    assert not stale, "no test, or one that does not use it any more: run docs/generate_language.py"


def computed(function, *inputs, dtype=None, shape=None):
    """The result of `function` for tiles of these arrays of 8."""
    out = np.zeros(shape or 8, dtype or inputs[0].dtype)

    @ct.kernel
    def unary(x, y):
        t = function(ct.load(x, 0, 8))
        ct.store(y, (0,) * t.ndim, t)

    @ct.kernel
    def binary(x, x2, y):
        t = function(ct.load(x, 0, 8), ct.load(x2, 0, 8))
        ct.store(y, (0,) * t.ndim, t)

    run_block(unary if len(inputs) == 1 else binary, *inputs, out)
    return out


BINARY = {
    "sub": (lambda a, b: ct.sub(a, b), np.subtract),
    "mul": (lambda a, b: ct.mul(a, b), np.multiply),
    "minimum": (lambda a, b: ct.minimum(a, b), np.minimum),
    "maximum": (lambda a, b: ct.maximum(a, b), np.maximum),
    "floordiv": (lambda a, b: ct.floordiv(a, b), np.floor_divide),
    "mod": (lambda a, b: ct.mod(a, b), np.mod),
}
COMPARE = {
    "equal": (lambda a, b: ct.equal(a, b), np.equal),
    "not_equal": (lambda a, b: ct.not_equal(a, b), np.not_equal),
    "less": (lambda a, b: ct.less(a, b), np.less),
    "less_equal": (lambda a, b: ct.less_equal(a, b), np.less_equal),
    "greater": (lambda a, b: ct.greater(a, b), np.greater),
    "greater_equal": (lambda a, b: ct.greater_equal(a, b), np.greater_equal),
}
BITS = {
    "bitwise_and": (lambda a, b: ct.bitwise_and(a, b), np.bitwise_and),
    "bitwise_or": (lambda a, b: ct.bitwise_or(a, b), np.bitwise_or),
    "bitwise_xor": (lambda a, b: ct.bitwise_xor(a, b), np.bitwise_xor),
    "bitwise_lshift": (lambda a, b: ct.bitwise_lshift(a, b), np.left_shift),
    "bitwise_rshift": (lambda a, b: ct.bitwise_rshift(a, b), np.right_shift),
    "bitwise_not": (lambda a, b: ct.bitwise_not(a), lambda a, b: ~a),
}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("x, y", [(A, B), (K, J)], ids=["floats", "integers"])
def test_binary_operations_by_name(name, x, y):
    ours, numpy = BINARY[name]
    np.testing.assert_array_equal(computed(ours, x, y), numpy(x, y))


@pytest.mark.parametrize("name", COMPARE)
@pytest.mark.parametrize("x, y", [(A, B), (K, J)], ids=["floats", "integers"])
def test_comparisons_by_name(name, x, y):
    ours, numpy = COMPARE[name]
    np.testing.assert_array_equal(computed(ours, x, y, dtype=np.bool_), numpy(x, y))


@pytest.mark.parametrize("name", BITS)
def test_operations_on_bits_by_name(name):
    ours, numpy = BITS[name]
    np.testing.assert_array_equal(computed(ours, K, J), numpy(K, J))


def test_power_and_quotient_with_remainder():
    np.testing.assert_allclose(computed(lambda a, b: ct.pow(ct.abs(a), b), A, B), np.abs(A) ** B, rtol=1e-6)
    np.testing.assert_array_equal(computed(lambda a, b: ct.divmod(a, b)[0], K, J), K // J)
    np.testing.assert_array_equal(computed(lambda a, b: ct.divmod(a, b)[1], K, J), K % J)


# ---- modes ----

TINY = np.full(8, 1e-40, np.float32)  # subnormal
ONE = np.ones(8, np.float32)
FLUSHED = {  # with flush_to_zero the first value, without the second
    "add": (lambda x, f: ct.add(x, x, flush_to_zero=f), 0, TINY[0] + TINY[0]),
    "sub": (lambda x, f: ct.sub(x, -x, flush_to_zero=f), 0, TINY[0] + TINY[0]),
    "mul": (lambda x, f: ct.mul(x, 2.0, flush_to_zero=f), 0, TINY[0] * 2),
    "truediv": (lambda x, f: ct.truediv(x, 0.5, flush_to_zero=f), 0, TINY[0] * 2),
    "sqrt": (lambda x, f: ct.sqrt(x, flush_to_zero=f), 0, np.sqrt(TINY[0])),
    "rsqrt": (lambda x, f: ct.rsqrt(x, flush_to_zero=f), np.inf, TINY[0].astype(np.float64) ** -0.5),
    "exp2": (lambda x, f: ct.exp2(x - 130.0, flush_to_zero=f), 0, 2.0**-130),
    "maximum": (lambda x, f: ct.maximum(x, x, flush_to_zero=f), 0, TINY[0]),
    "minimum": (lambda x, f: ct.minimum(x, x, flush_to_zero=f), 0, TINY[0]),
    "max": (lambda x, f: ct.max(x, 0, keepdims=True, flush_to_zero=f) + x * 0, 0, TINY[0]),
    "min": (lambda x, f: ct.min(x, 0, keepdims=True, flush_to_zero=f) + x * 0, 0, TINY[0]),
    "sum": (lambda x, f: ct.sum(x, 0, keepdims=True, flush_to_zero=f) + x * 0, 0, TINY[0] * 8),
    "prod": (lambda x, f: ct.prod(x, 0, keepdims=True, flush_to_zero=f) + x * 0, 0, 0),
    "cumsum": (lambda x, f: ct.cumsum(x, 0, flush_to_zero=f)[:], 0, np.cumsum(TINY)),
    "cumprod": (lambda x, f: ct.cumprod(x, 0, flush_to_zero=f)[:], None, np.cumprod(TINY)),
}


@pytest.mark.parametrize("flush", [False, True])
@pytest.mark.parametrize("name", FLUSHED)
def test_subnormal_numbers_are_kept_or_flushed(name, flush):
    function, flushed, kept = FLUSHED[name]
    found = computed(lambda x: function(x, flush), TINY)
    if flushed is not None or not flush:
        np.testing.assert_allclose(found, np.broadcast_to(flushed if flush else kept, 8), rtol=1e-6)


ROUNDED = {
    "add": (lambda x, y, m: ct.add(x, y, rounding_mode=m), np.add),
    "sub": (lambda x, y, m: ct.sub(x, y, rounding_mode=m), np.subtract),
    "mul": (lambda x, y, m: ct.mul(x, y, rounding_mode=m), np.multiply),
    "truediv": (lambda x, y, m: ct.truediv(x, y, rounding_mode=m), np.divide),
    "sqrt": (lambda x, y, m: ct.sqrt(x, rounding_mode=m), lambda x, y: np.sqrt(x)),
    "sum": (lambda x, y, m: ct.sum(ct.cat((x[:, None], y[:, None]), 1), 1, rounding_mode=m), np.add),
    "prod": (lambda x, y, m: ct.prod(ct.cat((x[:, None], y[:, None]), 1), 1, rounding_mode=m), np.multiply),
    "cumsum": (lambda x, y, m: ct.max(ct.cumsum(ct.cat((x[:, None], y[:, None]), 1), 1, rounding_mode=m), 1), np.add),
    "cumprod": (
        lambda x, y, m: ct.max(ct.cumprod(ct.cat((x[:, None], y[:, None]), 1), 1, rounding_mode=m), 1),
        np.multiply,
    ),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_results_are_rounded_as_asked(name):
    ours, numpy = ROUNDED[name]
    x = np.float32([1.1, 2.3, 1.7, 3.9, 5.1, 1.3, 9.7, 2.9])
    y = np.float32([1.3e-3, 1.7, 2.3, 1.9e-2, 3.3, 1.1, 1.7, 2.1e-4]) + np.float32(1)
    exact = numpy(x.astype(np.float64), y.astype(np.float64))
    found = {
        mode: computed(lambda a, b, mode=mode: ours(a, b, mode), x, y)
        for mode in (ct.RoundingMode.RN, ct.RoundingMode.RZ, ct.RoundingMode.RM, ct.RoundingMode.RP)
    }
    near, zero, down, up = found.values()
    np.testing.assert_array_equal(near, exact.astype(np.float32))
    np.testing.assert_array_equal(zero, down)  # of positive results
    assert (down <= exact).all() and (exact <= up).all() and (up <= np.nextafter(down, np.float32(np.inf))).all()
    assert (down < up).any()


def test_fast_and_full_functions():
    for function, numpy in (
        (lambda x: ct.tanh(x, rounding_mode=ct.RoundingMode.FULL), np.tanh),
        (lambda x: ct.tanh(x, rounding_mode=ct.RoundingMode.APPROX), np.tanh),
        (lambda x: ct.exp(x, rounding_mode=ct.RoundingMode.APPROX), np.exp),
        (lambda x: ct.exp(x, rounding_mode=ct.RoundingMode.FULL), np.exp),
        (lambda x: ct.truediv(x, 3.0, rounding_mode=ct.RoundingMode.FULL), lambda x: x / 3),
        (lambda x: ct.truediv(x, 3.0, rounding_mode=ct.RoundingMode.APPROX), lambda x: x / 3),
    ):
        np.testing.assert_allclose(computed(function, A), numpy(A), rtol=2e-3)


def test_conversions_are_rounded_as_asked():
    x = np.float64([1 + 1e-9, -1 - 1e-9] * 4)
    down = computed(lambda t: ct.astype(t, ct.float32, rounding_mode=ct.RoundingMode.RM), x, dtype=np.float32)
    up = computed(lambda t: t.astype(ct.float32, rounding_mode=ct.RoundingMode.RP), x, dtype=np.float32)
    assert (down < up).all() and (down <= x).all() and (x <= up).all()
    for dtype, message in (
        (ct.int32, "rounding_mode is for conversions between floats; found float64 to int32"),
        (ct.float16, "rounding_mode RZI of float64 to float16; expected RN, RZ"),
    ):
        with pytest.raises(ct.TileTypeError, match=message):
            computed(lambda t, dtype=dtype: ct.astype(t, dtype, rounding_mode=ct.RoundingMode.RZI), x)


FLOATS = [dtype for dtype in dtypes.ALL if dtype.is_float]


@pytest.mark.parametrize("target", FLOATS, ids=str)
def test_modes_of_conversions_are_those_of_the_verifier(target):
    for source in (dtype for dtype in FLOATS if dtype is not target):
        legal = set()
        for mode in ct.RoundingMode:
            result = f"tile<2x{target.ir_name}>"
            body = f"%1 = ftof %0 rounding<{mode.value}> : tile<2x{source.ir_name}> -> {result}"
            constant = f"%0 = constant <{source.ir_name}: [1.0, 1.0]> : tile<2x{source.ir_name}>"
            try:
                _native.Module.parse(f"cuda_tile.module @m {{ entry @k() {{ {constant}\n{body}\nreturn }} }}")
                legal.add(mode)
            except RuntimeError as error:
                assert "expected rounding" in str(error)
        assert legal == set(conversion_modes(source, target)), source


def test_nan_wins_or_is_skipped():
    x, y = A.copy(), B.copy()
    x[0] = y[1] = np.nan
    assert np.isnan(computed(lambda a, b: ct.maximum(a, b, propagate_nan=True), x, y)[:2]).all()
    assert np.isnan(computed(lambda a, b: ct.minimum(a, b, propagate_nan=True), x, y)[:2]).all()
    np.testing.assert_array_equal(computed(lambda a, b: ct.maximum(a, b), x, y), np.fmax(x, y))
    np.testing.assert_array_equal(computed(lambda a, b: ct.minimum(a, b), x, y), np.fmin(x, y))


# ---- shape, reductions, scans ----


def test_dimensions_that_are_kept_and_exchanged():
    def rows(t):
        return t.reshape((2, 4))

    x = A.reshape(2, 4)
    for function, expected in (
        (lambda t: ct.argmax(rows(t), 1, keepdims=True), x.argmax(1, keepdims=True)),
        (lambda t: ct.argmin(rows(t), 1, keepdims=True), x.argmin(1, keepdims=True)),
        (lambda t: ct.min(rows(t), 1, keepdims=True), x.min(1, keepdims=True)),
        (lambda t: ct.prod(rows(t), 1, keepdims=True), x.prod(1, keepdims=True)),
        (lambda t: ct.reduce(rows(t), 1, lambda a, b: a + b, 0, keepdims=True), x.sum(1, keepdims=True)),
        (lambda t: ct.transpose(rows(t), axis0=0, axis1=1), x.T),
        (lambda t: rows(t).transpose(axis0=1, axis1=0), x.T),
        (lambda t: ct.permute(rows(t), (1, 0)), x.T),
        (lambda t: ct.cumprod(rows(t), axis=1, reverse=True), x[:, ::-1].cumprod(1)[:, ::-1]),
        (lambda t: ct.cumprod(rows(t), axis=0), x.cumprod(0)),
    ):
        dtype = np.int32 if expected.dtype.kind == "i" else np.float32
        np.testing.assert_allclose(computed(function, A, dtype=dtype, shape=expected.shape), expected, rtol=1e-6)


def test_bytes_of_a_tile():
    found = computed(lambda t: ct.pack_to_bytes(t), K, dtype=np.uint8, shape=32)
    np.testing.assert_array_equal(found, K.view(np.uint8))


def test_products():
    x = A.reshape(2, 4)
    np.testing.assert_allclose(
        computed(lambda t: ct.matmul(t.reshape((2, 4)), t.reshape((4, 2))), A, shape=(2, 2)), x @ A.reshape(4, 2),
        rtol=1e-5,
    )  # fmt: skip

    @ct.kernel
    def fast(x, y):
        t = ct.load(x, (0, 0), (16, 16)).astype(ct.float8_e4m3fn)
        ct.store(y, (0, 0), ct.mma(t, t, ct.zeros((16, 16), ct.float32), use_fast_acc=True))

    ones, y = np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    run_block(fast, ones, y)
    assert (y == 16).all()


# ---- memory ----


def test_hints_and_orders_of_loads_and_stores():
    @ct.kernel
    def kernel(x, y):
        ct.static_assert(ct.ensure_constant(3) == 3)
        t = ct.load(x, (0, 0), (4, 8), check_bounds=False, latency=3, allow_tma=False,
                    padding_mode=ct.PaddingMode.UNDETERMINED, memory_order=ct.MemoryOrder.WEAK,
                    memory_scope=ct.MemoryScope.NONE)  # fmt: skip
        ct.store(y, (0, 0), t.transpose(), order="F", check_bounds=False, allow_tma=False, latency=2)
        ct.scatter(y, (3, 7), ct.num_tiles(x, 1, (2, 4), order="F").astype(ct.float32), latency=2)
        ct.scatter(y, (0, 0), ct.gather(x, (0, 1), latency=2))

    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    run_block(kernel, x, y)
    expected = x.copy()
    expected[3, 7], expected[0, 0] = 1, 1  # of 4 rows in tiles of 4
    np.testing.assert_array_equal(y, expected)


def test_hints_of_rows_picked_by_a_tile():
    @ct.kernel
    def kernel(x, y):
        rows = 3 - ct.arange(4, dtype=ct.int32)
        t = ct.load_advanced_indexing(x, (rows, ct.Slice(0, 8)), latency=4, allow_tma=False)
        ct.store_advanced_indexing(y, (rows, ct.Slice(0, 8)), t + 1, latency=4, allow_tma=False)

    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    run_block(kernel, x, y)
    np.testing.assert_array_equal(y, x + 1)


def test_hints_of_views():
    @ct.kernel
    def kernel(x, y):
        view = x.tiled_view((4,), traversal_steps=(2,))
        ct.static_assert(view.traversal_steps == (2,) and view.tile_shape == (4,))
        t = view.load(1, check_bounds=True, latency=2, allow_tma=False)
        y.tiled_view(4).store(1, t, check_bounds=True, latency=2, allow_tma=False)

    y = np.zeros(8, np.float32)
    run_block(kernel, A, y)
    np.testing.assert_array_equal(y[4:], A[2:6])


REPLACE = {
    "max": (lambda v, i, u: v.atomic_store_max(i, u), np.maximum),
    "min": (lambda v, i, u: v.atomic_store_min(i, u), np.minimum),
    "and": (lambda v, i, u: v.atomic_store_and(i, u), np.bitwise_and),
    "or": (lambda v, i, u: v.atomic_store_or(i, u), np.bitwise_or),
    "xor": (lambda v, i, u: v.atomic_store_xor(i, u), np.bitwise_xor),
}


@pytest.mark.parametrize("name", REPLACE)
def test_atomic_stores_of_views(name):
    function, numpy = REPLACE[name]

    @ct.kernel
    def kernel(x, update):
        function(x.tiled_view(8), 0, ct.load(update, 0, 8))

    x = K.copy()
    run_block(kernel, x, J)
    np.testing.assert_array_equal(x, numpy(K, J))


OPTIONS = [(ct.MemoryOrder.RELAXED, ct.MemoryScope.BLOCK), (ct.MemoryOrder.ACQ_REL, ct.MemoryScope.SYS)]
BY_INDEX = {
    "xchg": (
        lambda x, i, u, o, s, c: ct.atomic_xchg(x, i, u, memory_order=o, memory_scope=s, check_bounds=c),
        lambda a, b: b,
    ),
    "add": (lambda x, i, u, o, s, c: ct.atomic_add(x, i, u, memory_order=o, memory_scope=s, check_bounds=c), np.add),
    "max": (
        lambda x, i, u, o, s, c: ct.atomic_max(x, i, u, memory_order=o, memory_scope=s, check_bounds=c),
        np.maximum,
    ),
    "min": (
        lambda x, i, u, o, s, c: ct.atomic_min(x, i, u, memory_order=o, memory_scope=s, check_bounds=c),
        np.minimum,
    ),
    "and": (
        lambda x, i, u, o, s, c: ct.atomic_and(x, i, u, memory_order=o, memory_scope=s, check_bounds=c),
        np.bitwise_and,
    ),
    "or": (
        lambda x, i, u, o, s, c: ct.atomic_or(x, i, u, memory_order=o, memory_scope=s, check_bounds=c),
        np.bitwise_or,
    ),
    "xor": (
        lambda x, i, u, o, s, c: ct.atomic_xor(x, i, u, memory_order=o, memory_scope=s, check_bounds=c),
        np.bitwise_xor,
    ),
    "cas": (
        lambda x, i, u, o, s, c: ct.atomic_cas(x, i, 100, u, memory_order=o, memory_scope=s, check_bounds=c),
        lambda a, b: np.where(a == 100, b, a),
    ),
}
BY_OFFSET = {
    "xchg": (
        lambda m, i, u, o, s, k: m.atomic_xchg_offset(i, u, memory_order=o, memory_scope=s, mask=k),
        lambda a, b: b,
    ),
    "add": (lambda m, i, u, o, s, k: m.atomic_add_offset(i, u, memory_order=o, memory_scope=s, mask=k), np.add),
    "max": (lambda m, i, u, o, s, k: m.atomic_max_offset(i, u, memory_order=o, memory_scope=s, mask=k), np.maximum),
    "min": (lambda m, i, u, o, s, k: m.atomic_min_offset(i, u, memory_order=o, memory_scope=s, mask=k), np.minimum),
    "and": (lambda m, i, u, o, s, k: m.atomic_and_offset(i, u, memory_order=o, memory_scope=s, mask=k), np.bitwise_and),
    "or": (lambda m, i, u, o, s, k: m.atomic_or_offset(i, u, memory_order=o, memory_scope=s, mask=k), np.bitwise_or),
    "xor": (lambda m, i, u, o, s, k: m.atomic_xor_offset(i, u, memory_order=o, memory_scope=s, mask=k), np.bitwise_xor),
    "cas": (
        lambda m, i, u, o, s, k: m.atomic_cas_offset(i, 100, u, memory_order=o, memory_scope=s, mask=k),
        lambda a, b: np.where(a == 100, b, a),
    ),
}


@pytest.mark.parametrize("order, scope", OPTIONS, ids=["relaxed", "acq_rel"])
@pytest.mark.parametrize("name", BY_INDEX)
def test_atomics_by_index_with_order_and_scope(name, order, scope):
    function, numpy = BY_INDEX[name]

    @ct.kernel
    def kernel(x, update, old):
        i = ct.arange(8, dtype=ct.int32)
        ct.store(old, 0, function(x, i, ct.load(update, 0, 8), order, scope, False))

    x, old = K.copy(), np.zeros_like(K)
    run_block(kernel, x, J, old)
    np.testing.assert_array_equal(old, K)
    np.testing.assert_array_equal(x, numpy(K, J))


@pytest.mark.parametrize("order, scope", OPTIONS, ids=["relaxed", "acq_rel"])
@pytest.mark.parametrize("name", BY_OFFSET)
def test_atomics_by_offset_with_order_scope_and_mask(name, order, scope):
    function, numpy = BY_OFFSET[name]

    @ct.kernel
    def kernel(x, update):
        i = ct.arange(8, dtype=ct.int32)
        function(x.get_raw_memory(), i, ct.load(update, 0, 8), order, scope, i < 6)

    x = K.copy()
    run_block(kernel, x, J)
    np.testing.assert_array_equal(x, np.append(numpy(K, J)[:6], K[6:]))


def test_offsets_with_latency():
    @ct.kernel
    def kernel(x, y):
        i = ct.arange(8, dtype=ct.int32)
        y.get_raw_memory().store_offset(i, x.get_raw_memory().load_offset(i, latency=2), latency=2)

    y = np.zeros_like(A)
    run_block(kernel, A, y)
    np.testing.assert_array_equal(y, A)


def test_a_scope_without_tiles():
    @ct.kernel
    def kernel(x):
        ct.atomic_add(x, 0, 1, memory_scope=ct.MemoryScope.CLUSTER)

    with pytest.raises(ct.TileError, match="CLUSTER"):
        text_of(kernel, array(ct.int32))


# ---- Python ----


def test_assignment_in_an_expression_and_with_an_annotation():
    @ct.kernel
    def kernel(x, n):
        total: ct.int32 = 0
        while total < n:
            total += 3
        ct.scatter(x, (k := total * 2) - k, k)

    x = np.zeros(1, np.int32)
    run_block(kernel, x, 7)
    assert x[0] == 18


def test_statements_that_tile_code_does_not_have():
    def sets(x):
        return {1, 2}

    def deletes(x):
        y = x
        del y

    async def waits(x):
        await x

    def maps(x):
        return {i: i for i in (1, 2)}

    for function in (sets, deletes, waits, maps):
        with pytest.raises(ct.TileSyntaxError, match="tile code"):
            text_of(ct.kernel(function), array())


# ---- on the host ----


def test_threads_are_set_and_told():
    before = ct.get_num_threads()
    try:
        ct.set_num_threads(1)
        assert ct.get_num_threads() == 1
    finally:
        ct.set_num_threads(before)


def test_a_launch_that_depends_on_another_is_a_launch():
    y = np.zeros_like(A)

    @ct.kernel
    def kernel(x, y):
        ct.grid_dependency_control_wait()
        ct.store(y, 0, ct.load(x, 0, 8))

    ct.launch(None, (1,), kernel, (A, y), programmatic_dependent_launch=True)
    np.testing.assert_array_equal(y, A)


def test_classes_of_values_and_errors():
    assert issubclass(ct.TileInternalError, ct.TileError) and issubclass(ct.TileDebuggerQuit, ct.TileError)
    assert isinstance(ct.float32, ct.DType) and ct.Scalar is not None
    assert compilation.ConstantConstraint(3).value in (3,) and compilation.ConstantValue is not None
    assert compilation.ParameterConstraint is not None


def test_text_with_locations():
    @ct.kernel
    def kernel(x, n):
        ct.scatter(x, 0, n)

    module = ct.load_module(ct.assemble(text_of(kernel, array(ct.int32), scalar()).encode()))
    assert isinstance(module, ct.TileModule)
    plain, located = (ct.disassemble(ct.assemble(text_of(kernel, array(ct.int32), scalar()).encode()), debug_info=d)
                      for d in (False, True))  # fmt: skip
    assert "loc(" not in plain and "loc(" in located


def test_where_a_marked_function_may_be_called():
    def double(x):
        return 2 * x

    anywhere, on_the_host = ct.function(double, host=True), ct.function(double, host=True, tile=False)
    in_tiles = ct.function(double)

    @ct.kernel
    def kernel(x):
        ct.scatter(x, 0, anywhere(3) + in_tiles(4))

    @ct.kernel
    def wrong(x):
        ct.scatter(x, 0, on_the_host(3))

    x = np.zeros(1, np.int32)
    run_block(kernel, x)
    assert (x[0], anywhere(3), on_the_host(3)) == (14, 6, 6)
    with pytest.raises(ct.TileError, match="tile function"):
        in_tiles(4)
    with pytest.raises(ct.TileError, match="double"):
        run_block(wrong, x)
