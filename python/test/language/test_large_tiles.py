# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles that no registers hold, which GPUs work on slice by slice (tileaa-slice-and-fuse): on the machine's target, and
simulated for GPUs."""

import numpy as np
import pytest
import tilewright as ct
from language import array, compiled, constant, run_block, scalar
from tilewright import _native

ROWS, COLUMNS = 256, 512


@pytest.fixture(params=[None, "tileas:sm_80", "tileas:sm_90"])
def run(request, monkeypatch):
    """Runs one block. A kernel keeps what it was compiled for, so each run compiles it again."""
    if request.param:
        monkeypatch.setenv("TILEWRIGHT_TARGET", request.param)
        monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "3")
    return lambda kernel, *arguments: run_block(ct.kernel(kernel.function), *arguments)


def numbers(*shape):
    return np.random.default_rng(3).integers(-8, 8, shape).astype(np.float32)


@ct.kernel
def bias(x, row, column, y):
    tile = ct.load(x, (0, 0), (ROWS, COLUMNS))
    tile = tile + ct.load(row, (0, 0), (1, COLUMNS)) * ct.load(column, (0, 0), (ROWS, 1))
    ct.store(y, (0, 0), ct.where(tile > 0, tile, 0))


def test_small_tiles_are_broadcast(run):
    x, row, column, y = numbers(ROWS, COLUMNS), numbers(1, COLUMNS), numbers(ROWS, 1), numbers(ROWS, COLUMNS)
    run(bias, x, row, column, y)
    assert (y == np.maximum(x + row * column, 0)).all()


@ct.kernel
def double(x):
    ct.store(x, (0, 0), ct.load(x, (0, 0), (ROWS, COLUMNS)) * 2)


def test_in_place(run):
    x = numbers(ROWS, COLUMNS)
    expected = x * 2
    run(double, x)
    assert (x == expected).all()


@ct.kernel
def turn(x):
    ct.store(x, (0, 0), ct.transpose(ct.load(x, (0, 0), (512, 512))))


def test_all_is_read_before_it_is_written_elsewhere(run):
    x = numbers(512, 512)
    expected = x.T.copy()
    run(turn, x)
    assert (x == expected).all()


@ct.kernel
def count_twice(x):
    """Every address is there twice."""
    lanes = ct.arange(1 << 17, dtype=ct.int32) % (1 << 16)
    ct.scatter(x, lanes, ct.gather(x, lanes) + 1)


def test_addresses_that_are_there_twice(run):
    x = numbers(1 << 16)
    expected = x + 1
    run(count_twice, x)
    assert (x == expected).all()


@ct.kernel
def copy_then_clear(x, y):
    tile = ct.load(x, (0, 0), (ROWS, COLUMNS))
    ct.store(y, (0, 0), tile)
    ct.store(x, (0, 0), ct.zeros((ROWS, COLUMNS), dtype=ct.float32))


@ct.kernel
def clear_then_copy(x, y):
    tile = ct.load(x, (0, 0), (ROWS, COLUMNS))
    ct.store(x, (0, 0), ct.zeros((ROWS, COLUMNS), dtype=ct.float32))
    ct.store(y, (0, 0), tile)


@pytest.mark.parametrize("kernel", [copy_then_clear, clear_then_copy])
def test_what_comes_after_a_load_stays_after_it(run, kernel):
    x, y = numbers(ROWS, COLUMNS), numbers(ROWS, COLUMNS) + 100
    expected = x.copy()
    run(kernel, x, y)
    assert (y == expected).all() and not x.any()


@ct.kernel
def normalize(x, y):
    row = ct.load(x, (0, 0), (1, 1 << 17), padding_mode=ct.PaddingMode.NEG_INF)
    powers = ct.exp(row - ct.max(row))
    ct.store(y, (0, 0), powers / ct.sum(powers))


def test_a_row_that_is_read_three_times(run):
    """It leaves the array, too: where there is nothing is the padding."""
    # Sixteen different numbers would be rounded alike each time a lane adds one, and narrow vectors have few lanes.
    x = np.random.default_rng(3).uniform(-2, 2, (1, 100_000)).astype(np.float32)
    y = np.zeros_like(x)
    run(normalize, x, y)
    powers = np.exp(x.astype(np.float64) - x.max())
    np.testing.assert_allclose(y, powers / powers.sum(), rtol=1e-5)


@ct.kernel
def where_is_the_largest(x, along, rows, places):
    tile = ct.load(x, (0, 0), (ROWS, COLUMNS))
    ct.store(along, (0,), ct.argmax(tile, 0))
    ct.store(rows, (0,), ct.max(tile, 1))
    lanes = ct.arange(1 << 17, dtype=ct.int32)
    ct.scatter(places, lanes, ct.where(lanes % 3 == 0, lanes, -lanes))


def test_reductions_and_addresses(run):
    x = np.random.default_rng(4).permutation(ROWS * COLUMNS).astype(np.float32).reshape(ROWS, COLUMNS)
    along, rows = np.zeros(COLUMNS, np.int32), np.zeros(ROWS, np.float32)
    places = np.zeros(1 << 17, np.int32)
    run(where_is_the_largest, x, along, rows, places)
    assert (along == x.argmax(0)).all() and (rows == x.max(1)).all()
    lanes = np.arange(1 << 17)
    assert (places == np.where(lanes % 3 == 0, lanes, -lanes)).all()


@ct.kernel
def halves(x, y):
    """Slices of slices: of the first dimension there are two."""
    ct.store(y, (0, 0), ct.load(x, (0, 0), (2, 1 << 16)) + 1)


def test_slices_of_slices(run):
    x = numbers(2, 1 << 16)
    y = np.zeros_like(x)
    run(halves, x, y)
    assert (y == x + 1).all()


@ct.kernel
def accumulate_products(a, b, bias, c, sums, K: ct.Constant[int]):
    acc = ct.zeros((512, 256), dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], K)):
        acc = ct.mma(ct.load(a, (0, k), (512, K)), ct.load(b, (k, 0), (K, 256)), acc)
    acc = acc + ct.load(bias, (0,), (256,))[None, :]
    ct.store(c, (0, 0), ct.maximum(acc, 0))
    ct.store(sums, (0,), ct.sum(acc, 1))


def test_sums_of_products_that_a_loop_carries(run):
    a, b, bias = numbers(512, 32).astype(np.float16), numbers(32, 256).astype(np.float16), numbers(256)
    c, sums = numbers(512, 256), numbers(512)
    run(accumulate_products, a, b, bias, c, sums, 16)
    expected = a.astype(np.float32) @ b.astype(np.float32) + bias
    assert (c == np.maximum(expected, 0)).all() and (sums == expected.sum(1)).all()


@ct.kernel
def accumulate(x, y, columns, lowest):
    """In place, with a tile that the loop changes in two ways, and numbers that it carries besides."""
    acc, low = ct.load(y, (0, 0), (ROWS, COLUMNS)), 0.0
    for k in range(x.shape[0]):
        tile = ct.load(x, (k, 0, 0), (1, ROWS, COLUMNS)).reshape((ROWS, COLUMNS))
        low = min(low, ct.load(x, (k, 0, 0), (1, 1, 1)).item())
        if k % 2 == 0:
            acc = acc + tile
        else:
            acc = ct.where(tile > 0, acc, tile)
    ct.store(columns, (0,), ct.sum(acc, 0))
    ct.store(lowest, (0,), ct.full((1,), low, dtype=ct.float32))
    ct.store(y, (0, 0), acc)


def test_a_tile_that_a_loop_carries(run):
    x, y, columns, lowest = numbers(3, ROWS, COLUMNS), numbers(ROWS, COLUMNS), numbers(COLUMNS), numbers(1)
    expected = y + x[0]
    expected = np.where(x[1] > 0, expected, x[1]) + x[2]
    run(accumulate, x, y, columns, lowest)
    assert (y == expected).all() and (columns == expected.sum(0)).all() and lowest[0] == min(0, x[:, 0, 0].min())


@ct.kernel
def normalize_rows_again(x, y):
    acc, k = ct.load(x, (0, 0), (ROWS, COLUMNS)), 0
    while k < 2:
        acc = ct.cumsum(acc, 1) - ct.max(acc, 1, keepdims=True)
        k = k + 1
    ct.store(y, (0, 0), acc)


def test_rows_that_depend_on_themselves_alone(run):
    x = np.random.default_rng(5).integers(-1, 2, (ROWS, COLUMNS)).astype(np.float32)
    y = np.zeros_like(x)
    run(normalize_rows_again, x, y)
    for _ in range(2):
        x = np.cumsum(x, 1) - x.max(1, keepdims=True)
    assert (y == x).all()


@ct.kernel
def copy_with_shift(x):
    """Rows go where others are loaded."""
    acc = ct.load(x, (0, 0), (ROWS, COLUMNS))
    for _ in range(2):
        acc = acc + 1
    ct.store(x, (1, 0), acc)


def test_what_is_stored_elsewhere_waits_for_all_loads(run):
    x = numbers(2 * ROWS, COLUMNS)
    expected = x[:ROWS] + 2
    run(copy_with_shift, x)
    assert (x[ROWS:] == expected).all()


@ct.kernel
def rotate_halves(x, cosine, sine, y):
    tile = ct.load(x, (0, 0), (ROWS, COLUMNS))
    a, b = ct.extract(tile, (0, 0), (ROWS, COLUMNS // 2)), ct.extract(tile, (0, 1), (ROWS, COLUMNS // 2))
    c, s = ct.load(cosine, (0, 0), (ROWS, COLUMNS // 2)), ct.load(sine, (0, 0), (ROWS, COLUMNS // 2))
    ct.store(y, (0, 0), ct.cat((a * c - b * s, b * c + a * s), 1))


@pytest.mark.parametrize("in_place", [False, True])
def test_halves_of_rows(run, in_place):
    """Rotary position embedding."""
    x, cosine, sine = numbers(ROWS, COLUMNS), numbers(ROWS, COLUMNS // 2), numbers(ROWS, COLUMNS // 2)
    y = x if in_place else np.zeros_like(x)
    a, b = x[:, : COLUMNS // 2].copy(), x[:, COLUMNS // 2 :].copy()
    run(rotate_halves, x, cosine, sine, y)
    assert (y == np.concatenate([a * cosine - b * sine, b * cosine + a * sine], 1)).all()


@ct.kernel
def quarters_of_rows(x, y, z):
    """Parts of what depends on whole rows, joined along rows, too; at a place that the compiler does not know."""
    tile = ct.load(x, (0, 0), (ROWS, COLUMNS))
    tile = tile - ct.max(tile, 1, keepdims=True)
    for i in range(4):
        part = ct.extract(tile, (0, i), (ROWS, COLUMNS // 4))
        ct.store(y, (0, i), ct.cat((part, -part), 0))
    ct.store(z, (0, 0), ct.extract(ct.cumsum(tile, 1), (1, 3), (ROWS // 2, COLUMNS // 4)))


def test_quarters_of_rows(run):
    x, y = numbers(ROWS, COLUMNS), np.zeros((2 * ROWS, COLUMNS), np.float32)
    z = np.zeros((ROWS // 2, COLUMNS // 4), np.float32)
    run(quarters_of_rows, x, y, z)
    tile = x - x.max(1, keepdims=True)
    assert (y == np.concatenate([tile, -tile])).all()
    assert (z == np.cumsum(tile, 1)[ROWS // 2 :, -COLUMNS // 4 :]).all()


@ct.kernel
def halves_of_what_is_carried(x, y, which: int):
    """Of tiles that shared memory does not hold and no slices are made of: the loop transposes."""
    tile = ct.load(x, (0, 0), (256, 256))
    for _ in range(2):
        tile = ct.transpose(tile) * 2
    ct.store(y, (0, 0), ct.extract(tile, (0, 1), (256, 128)) + ct.extract(tile, (0, which), (256, 128)))


def test_halves_in_registers(run):
    x, y = numbers(256, 256), np.zeros((256, 128), np.float32)
    run(halves_of_what_is_carried, x, y, 0)
    assert (y == 4 * (x[:, 128:] + x[:, :128])).all()


@ct.kernel
def last_sums(x, y, k: int):
    """One number of many, of a tile that is not loaded, at places that are known and that are not."""
    sums = ct.cumsum(ct.load(x, (0, 0), (ROWS, COLUMNS)), 1)
    last = ct.extract(sums, (ROWS - 1, COLUMNS - 1), (1, 1))
    ct.store(y, (0, 0), ct.extract(sums, (k, 1), (1, 4)) + last)


def test_one_number_of_many(run):
    x, y = numbers(ROWS, COLUMNS), np.zeros((1, 4), np.float32)
    run(last_sums, x, y, 5)
    sums = np.cumsum(x, 1)
    assert (y == sums[5, 4:8] + sums[-1, -1]).all()


@ct.kernel
def recurrence(factors, terms, y, total):
    """y[i] = factors[i] * y[i - 1] + terms[i], which is not the same in another order."""

    def step(factor, term, next_factor, next_term):
        return factor * next_factor, term * next_factor + next_term

    pairs = ct.load(factors, (0,), (1 << 17,)), ct.load(terms, (0,), (1 << 17,))
    _, sums = ct.scan(pairs, 0, step, (1, 0))
    ct.store(y, (0,), sums)
    ct.store(total, (0,), ct.full((1,), ct.max(sums), dtype=ct.int32))


def test_a_scan_of_a_row(run, monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_SCHEDULES", "1")  # the simulator takes seconds
    rng = np.random.default_rng(6)
    factors, terms = (rng.integers(-1, 2, 1 << 17).astype(np.int32) for _ in range(2))
    y, total = np.zeros_like(terms), np.zeros(1, np.int32)
    run(recurrence, factors, terms, y, total)
    expected, last = [], 0
    for factor, term in zip(factors.tolist(), terms.tolist(), strict=True):
        last = factor * last + term
        expected.append(last)
    assert (y == expected).all() and total[0] == max(expected)


EXTRACTS = [last_sums, rotate_halves, quarters_of_rows, halves_of_what_is_carried]


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("kernel", EXTRACTS, ids=lambda kernel: kernel.function.__name__)
def test_extracts_compile_for_gpus(kernel, target):
    arrays = {"x": 2, "cosine": 2, "sine": 2, "y": 2, "z": 2}
    specs = [array(ndim=2) if name in arrays else scalar() for name in kernel.function.__code__.co_varnames]
    module = compiled(kernel, *specs[: kernel.function.__code__.co_argcount]).module
    assert _native.compile_to(module, "test", target, "ptx").output


def products_with(latency, allow_tma):
    def kernel(a, b, c, K: ct.Constant[int]):
        acc = ct.zeros((512, 256), dtype=ct.float32)
        for k in range(ct.cdiv(a.shape[1], K)):
            x = ct.load(a, (0, k), (512, K), latency=latency, allow_tma=allow_tma)
            y = ct.load(b, (k, 0), (K, 256), latency=latency, allow_tma=allow_tma)
            acc = ct.mma(x, y, acc)
        left, right = ct.extract(acc, (0, 0), (512, 128)), ct.extract(acc, (0, 1), (512, 128))
        ct.store(c, (0, 0), ct.cat((left * right, right), 1), latency=latency, allow_tma=allow_tma)

    return kernel


HINTS = [*({"num_ctas": count} for count in (2, 16)), *({"occupancy": count} for count in (2, 32)),
         *({"num_worker_warps": count} for count in (1, 4, 32)),
         {"num_ctas": 16, "occupancy": 32, "num_worker_warps": 1}, *({"latency": steps} for steps in (1, 10)),
         *({"allow_tma": allowed} for allowed in (True, False)), *({"level": level} for level in (0, 1))]  # fmt: skip


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("hints", HINTS, ids=str)
def test_every_hint_compiles(hints, target):
    """Of a kernel whose loop, products, extracts and stores are all sliced; 10 s are the limit of any kernel."""
    of_access = {name: hints.get(name) for name in ("latency", "allow_tma")}
    of_kernel = {name: value for name, value in hints.items() if name not in ("latency", "allow_tma", "level")}
    facts = {"base_divisible_by": 16, "stride_divisible_by": (16, 1), "shape_divisible_by": (16, 16)}
    specs = [array(ct.float16, 2, **facts), array(ct.float16, 2, **facts), array(ndim=2, **facts), constant(64)]
    module = compiled(ct.kernel(**of_kernel)(products_with(**of_access)), *specs).module
    assert _native.compile_to(module, "test", target, "ptx", opt_level=hints.get("level", 3), time_limit=60).output
