# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads, stores, gathers, scatters and views against NumPy, and the order of accesses."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from language import array, ops_of, run_block, scalar, text_of
from tilewright._frontend.signature import ParameterSource

X = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)


def computed(function, shape, x=X):
    @ct.kernel
    def kernel(out, x, INDEX: ct.Constant[tuple]):
        ct.store(out, INDEX, function(x))

    out = np.zeros(shape, np.float32)
    run_block(kernel, out, x, (0,) * len(shape))
    return out


def columns(n, scale=1):
    return ct.arange(n, dtype=ct.int32) * scale


READS = {
    "tile": (lambda x: ct.load(x, (1, 2), (8, 8)), X[8:16, 16:24]),
    "order": (lambda x: ct.load(x, (1, 0), (8, 16), order=(1, 0)), X.T[8:16]),
    "order F": (lambda x: ct.load(x, (1, 0), (8, 16), order="F"), X.T[8:16]),
    "one element": (lambda x: ct.load(x, (3, 4), ()), X[3, 4][None]),
    "padding": (
        lambda x: ct.load(x.slice(0, 0, 12), (1, 0), (8, 32), padding_mode=ct.PaddingMode.ZERO),
        np.concatenate([X[8:12], X[:4] * 0]),
    ),
    "gather": (
        lambda x: ct.gather(x, (columns(16)[:, None], columns(32, 2)[None, :]), padding_value=-1),
        np.where(np.arange(32) * 2 < 32, X[:, (np.arange(32) * 2) % 32], -1),
    ),
    "gather of negative indices": (
        lambda x: ct.gather(x, (0, columns(8) - 4)),
        np.where(np.arange(8) >= 4, X[0, np.arange(8) - 4], 0),
    ),
    "gather with mask": (
        lambda x: ct.gather(x, (1, columns(8)), mask=columns(8) < 5),
        np.where(np.arange(8) < 5, X[1, :8], 0),
    ),
    "raw memory": (lambda x: x.get_raw_memory().load_offset(columns(32, 2)), X.ravel()[:64:2]),
    "slice": (lambda x: ct.load(x.slice(0, 4, 8), (0, 0), (4, 32)), X[4:8]),
    "tiled view": (lambda x: x.tiled_view((8, 8)).load((1, 2)), X[8:16, 16:24]),
    "number of tiles": (lambda x: ct.num_tiles(x, 1, (8, 5 + 3)).astype(ct.float32), np.float32([4])),
}


@pytest.mark.parametrize("name", READS)
def test_reads(name):
    function, expected = READS[name]
    np.testing.assert_array_equal(computed(function, expected.shape), expected)


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_bytes_of_float8_move_through_addresses(dtype):
    """In a row, by a step, and one alone; with a mask and without."""

    @ct.kernel
    def kernel(out, x):
        i = columns(64)
        ct.scatter(out, i, ct.gather(x, i, padding_value=0))
        ct.scatter(out, i * 2 + 64, ct.gather(x, i * 2, check_bounds=False), check_bounds=False)
        ct.scatter(out, 192, ct.gather(x, 7, check_bounds=False))
        ct.scatter(out, 193, ct.gather(x, 1000, padding_value=0))

    x = np.arange(1, 129, dtype=np.uint8)
    out = np.full(200, 255, np.uint8)
    run_block(kernel, out.view(dtype), x.view(dtype))
    expected = np.full(200, 255, np.uint8)
    expected[:64], expected[64:192:2], expected[192], expected[193] = x[:64], x[::2], x[7], 0
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu])
def test_tiles_of_every_number_of_eight_bits(dtype):
    @ct.kernel
    def widen(out, copy, x):
        tile = ct.load(x, (0,), (256,))
        ct.store(copy, (0,), tile)
        ct.store(out, (0,), tile.astype(ct.float32))

    x = np.arange(256, dtype=np.uint8)
    copy, out = np.zeros_like(x), np.zeros(256, np.float32)
    run_block(widen, out, copy.view(dtype), x.view(dtype))
    np.testing.assert_array_equal(copy, x)
    np.testing.assert_array_equal(out, x.view(dtype).astype(np.float32))


def test_scatter_skips_what_is_outside_or_masked():
    @ct.kernel
    def scatter(out):
        index = ct.arange(16, dtype=ct.int32) * 2
        ct.scatter(out, index, index, mask=index != 4)

    out = np.full(20, -1, np.int32)
    run_block(scatter, out)
    expected = np.full(20, -1)
    expected[::2] = np.arange(0, 20, 2)
    expected[4] = -1
    np.testing.assert_array_equal(out, expected)


def test_stores_clip_and_sizes_come_from_the_array():
    @ct.kernel
    def kernel(out):
        ct.store(out, (1, 0), ct.full((8, 32), out.shape[0] * 100 + out.shape[1], ct.int32))

    out = np.zeros((12, 20), np.int32)
    run_block(kernel, out)
    np.testing.assert_array_equal(out, np.where(np.arange(12)[:, None] >= 8, 1220, 0) + np.zeros((12, 20)))


def test_a_load_after_a_store_sees_it():
    @ct.kernel
    def kernel(x, y):
        ct.store(x, (0,), ct.full((16,), 1.0, ct.float32))
        through_view = ct.load(x, (0,), (16,))
        ct.store(x, (0,), through_view + 1.0)
        through_pointer = ct.gather(x, ct.arange(16, dtype=ct.int32))
        ct.scatter(x, ct.arange(16, dtype=ct.int32), through_pointer + 1.0)
        ct.store(y, (0,), ct.load(x, (0,), (8,)) + ct.load(x, (1,), (8,)))

    x, y = np.zeros(16, np.float32), np.zeros(8, np.float32)
    run_block(kernel, x, y)
    assert (x == 3).all() and (y == 6).all()


def test_tokens_order_accesses_to_one_array_only():
    @ct.kernel
    def kernel(x, y):
        ct.store(x, 0, ct.ones((16,), ct.float32))
        ct.store(y, 0, ct.load(x, 0, (16,)))

    text = text_of(kernel, array(), array())
    first, load, second = [line for line in text.splitlines() if "_tko " in line]
    stored = first.split()[0]
    assert "token = %0 " in first and f"token = {stored} " in load and "token = %0 " in second


def test_a_loop_that_only_reads_carries_no_token():
    @ct.kernel
    def reads(x, y, n: int):
        total = ct.zeros((16,), ct.float32)
        for i in range(n):
            total += ct.load(x, i, (16,))
        ct.store(y, 0, total)

    @ct.kernel
    def writes(x, n: int):
        for i in range(n):
            ct.store(x, i, ct.load(x, i + 1, (16,)))

    def loop(text):
        return next(line for line in text.splitlines() if " for %" in line)

    assert "token" not in loop(text_of(reads, array(), array(), scalar()))
    assert loop(text_of(writes, array(), scalar())).count("token") == 2


def test_unused_work_is_removed():
    @ct.kernel
    def kernel(x, n: int):
        dead = ct.load(x, 0, (16,))
        for _ in range(n):
            dead = dead * 2.0
        ct.store(x, 0, ct.ones((16,), ct.float32))

    ops = ops_of(kernel, array(), scalar())
    assert "for" not in ops and "load_view_tko" not in ops and "mulf" not in ops


def test_entry_parameters_and_facts():
    @ct.kernel
    def kernel(x, n: int, flag: bool):
        ct.store(x, (0, 0), ct.load(x, (0, 0), (16, 16)))

    from language import compiled

    spec = array(ct.float16, 2, base_divisible_by=16, shape_divisible_by=(16, 1), stride_divisible_by=(8, 1))
    result = compiled(kernel, spec, scalar(), scalar(ct.bool_))
    assert result.entry == "kernel"
    assert result.parameters == (
        ParameterSource((0,), "pointer", 0, "ptr", "x"),
        ParameterSource((0,), "shape", 0, "i32", "x_shape0"),
        ParameterSource((0,), "shape", 1, "i32", "x_shape1"),
        ParameterSource((0,), "stride", 0, "i32", "x_stride0"),
        ParameterSource((0,), "stride", 1, "i32", "x_stride1"),
        ParameterSource((1,), "scalar", 0, "i32", "n"),
        ParameterSource((2,), "scalar", 0, "i1", "flag"),
    )
    text = result.module.text()
    assert "assume div_by<16>, %arg0 : tile<ptr<f16>>" in text
    # Neither extents nor strides are negative; a stride of 1 is not read.
    assert text.count("assume bounded<0, ?>") == 3 and text.count("assume div_by<8>, %assume") == 1
    assert "tensor_view<?x?xf16, strides=[?,1]>" in text


def test_atomics_name_their_mode_order_and_scope():
    @ct.kernel
    def kernel(x, y):
        index = ct.arange(16, dtype=ct.int32)
        old = ct.atomic_add(x, index, 1)
        ct.atomic_max(
            y, index, old.astype(ct.uint32), memory_order=ct.MemoryOrder.RELAXED, memory_scope=ct.MemoryScope.SYS
        )
        ct.atomic_cas(x, 0, 1, 2)
        y.tiled_view((16,)).atomic_store_add(0, 1)

    text = text_of(kernel, array(ct.int32), array(ct.uint32))
    assert "atomic_rmw_tko acq_rel device" in text and ", add, " in text
    assert "atomic_rmw_tko relaxed sys" in text and ", umax, " in text
    assert "atomic_cas_tko acq_rel device" in text and "atomic_red_view_tko relaxed device" in text


def test_checks_of_memory_arguments():
    from language import compiled

    def fails(function, match, error=ct.TileTypeError, dtype=ct.float32):
        with pytest.raises(error, match=match):
            compiled(ct.kernel(function), array(dtype))

    def padding(x):
        ct.load(x, 0, (16,), padding_mode=ct.PaddingMode.NAN)

    def order(x):
        ct.load(x, 0, (16,), order=(1,))

    def release(x):
        ct.load(x, 0, (16,), memory_order=ct.MemoryOrder.RELEASE, memory_scope=ct.MemoryScope.DEVICE)

    def scope(x):
        ct.load(x, 0, (16,), memory_order=ct.MemoryOrder.ACQUIRE)

    def latency(x):
        ct.load(x, 0, (16,), latency=11)

    def index(x):
        ct.gather(x, ct.arange(16, dtype=ct.float32))

    fails(padding, "NAN is for floats; the array has dtype int32", dtype=ct.int32)
    fails(order, "order 1 is out of range", ct.TileTypeError)
    fails(release, "memory_order RELEASE; expected WEAK, RELAXED, ACQUIRE")
    fails(scope, "WEAK takes no scope, others need one")
    fails(latency, "latency 11; expected 1 to 10", ct.TileValueError)
    fails(index, "expected integers: convert with astype")


def test_prints_are_ordered_and_typed():
    @ct.kernel
    def kernel(x, n: int):
        t = ct.load(x, 0, (4,))
        ct.print("n is", n, f"{t:.3f} of 100%", sep=" | ")
        ct.printf("%d %8.2f\n", n, t)
        print((n, 1))

    text = text_of(kernel, array(), scalar())
    assert 'print_tko "n is | %d | %.3f of 100%%\\0A"' in text
    assert 'print_tko "%d %8.2f\\0A"' in text
    assert 'print_tko "(%d, 1)\\0A"' in text
    assert text.count("token=") == 3


def test_asserts():
    @ct.kernel
    def kernel(x):
        ct.assert_(ct.load(x, 0, (4,)) > 0.0, 'not "positive"')

    assert "assert %" in text_of(kernel, array()) and "not \\22positive\\22" in text_of(kernel, array())


def test_divisor_that_is_no_power_of_two():
    """Tile IR says powers of two of it."""

    @ct.kernel
    def kernel(x, n):
        ct.store(x, ct.assume_divisible_by(n, 12), 1.0)

    assert "div_by<4>" in text_of(kernel, array(), scalar())
