# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics and ordered accesses: every function and type against NumPy, and blocks that wait for each other."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from language import run_block

TYPES = {
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
FUNCTIONS = {
    "and": (("i32", "i64"), np.bitwise_and),
    "or": (("i32", "i64"), np.bitwise_or),
    "xor": (("i32", "i64"), np.bitwise_xor),
    "add": (("i32", "i64"), np.add),
    "addf": (("f16", "bf16", "f32", "f64"), np.add),
    "max": (("i32", "i64"), np.maximum),
    "min": (("i32", "i64"), np.minimum),
    "umax": (("i32", "i64"), lambda a, b: np.maximum(unsigned(a), unsigned(b)).view(a.dtype)),
    "umin": (("i32", "i64"), lambda a, b: np.minimum(unsigned(a), unsigned(b)).view(a.dtype)),
    "xchg": (("i32", "i64", "f32", "f64"), lambda a, b: b),
}
ORDERS = ("relaxed", "acquire", "release", "acq_rel")
LANES = 16


def unsigned(a):
    return a.view(f"u{a.dtype.itemsize}")


def numbers(dtype, seed, count=LANES):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "i":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype=dtype, endpoint=True)
    return rng.standard_normal(count).astype(dtype)


# The pointers of LANES neighbouring elements from %p, and the tile of values at %v; `access` puts the old elements into
# the array %o where %m is true.
ENTRY = """entry @{name}(%p: tile<ptr<{type}>>, %v: tile<ptr<{type}>>, %c: tile<ptr<{type}>>, %o: tile<ptr<{type}>>,
    %m: tile<ptr<i1>>) {{
  %lanes = iota : tile<16xi32>
  %0 = reshape %p : tile<ptr<{type}>> -> tile<1xptr<{type}>>
  %1 = broadcast %0 : tile<1xptr<{type}>> -> tile<16xptr<{type}>>
  %at = offset %1, %lanes : tile<16xptr<{type}>>, tile<16xi32> -> tile<16xptr<{type}>>
  %2 = reshape %v : tile<ptr<{type}>> -> tile<1xptr<{type}>>
  %3 = broadcast %2 : tile<1xptr<{type}>> -> tile<16xptr<{type}>>
  %4 = offset %3, %lanes : tile<16xptr<{type}>>, tile<16xi32> -> tile<16xptr<{type}>>
  %value, %t0 = load_ptr_tko weak %4 : tile<16xptr<{type}>> -> tile<16x{type}>, token
  %5 = reshape %c : tile<ptr<{type}>> -> tile<1xptr<{type}>>
  %6 = broadcast %5 : tile<1xptr<{type}>> -> tile<16xptr<{type}>>
  %7 = offset %6, %lanes : tile<16xptr<{type}>>, tile<16xi32> -> tile<16xptr<{type}>>
  %expected, %t1 = load_ptr_tko weak %7 : tile<16xptr<{type}>> -> tile<16x{type}>, token
  %8 = reshape %m : tile<ptr<i1>> -> tile<1xptr<i1>>
  %9 = broadcast %8 : tile<1xptr<i1>> -> tile<16xptr<i1>>
  %10 = offset %9, %lanes : tile<16xptr<i1>>, tile<16xi32> -> tile<16xptr<i1>>
  %mask, %t2 = load_ptr_tko weak %10 : tile<16xptr<i1>> -> tile<16xi1>, token
  %11 = reshape %o : tile<ptr<{type}>> -> tile<1xptr<{type}>>
  %12 = broadcast %11 : tile<1xptr<{type}>> -> tile<16xptr<{type}>>
  %13 = offset %12, %lanes : tile<16xptr<{type}>>, tile<16xi32> -> tile<16xptr<{type}>>
  {access}
  %t4 = store_ptr_tko weak %13, %old token=%t3 : tile<16xptr<{type}>>, tile<16x{type}> -> token
  return
}}
"""
TILES = "tile<16xptr<{type}>>, tile<16x{type}>"


def rmw(mode, order, type_):
    return (
        f"%old, %t3 = atomic_rmw_tko {order} device %at, {mode}, %value, %mask : {TILES.format(type=type_)}, "
        f"tile<16xi1> -> tile<16x{type_}>, token"
    )


def cas(order, type_):
    return (
        f"%old, %t3 = atomic_cas_tko {order} sys %at, %expected, %value, %mask : {TILES.format(type=type_)}, "
        f"tile<16xi1> -> tile<16x{type_}>, token"
    )


def ordered_copy(load_order, store_order, type_):
    """Loads from %p, gives what it loaded as the old elements too, and stores %value there."""
    at, tile = f"tile<16xptr<{type_}>>", f"tile<16x{type_}>"
    return (
        f"%old, %t5 = load_ptr_tko {load_order} device %at, %mask, %value : {at}, tile<16xi1>, {tile} -> {tile}, token "
        f"%t3 = store_ptr_tko {store_order} device %at, %value, %mask token=%t5 : {at}, {tile}, tile<16xi1> "
        "-> token"
    )


@pytest.fixture(scope="module")
def module():
    entries = []
    for index, (mode, (types, _)) in enumerate(FUNCTIONS.items()):
        for type_ in types:
            order = ORDERS[index % 4]
            entries.append(ENTRY.format(name=f"{mode}_{type_}", type=type_, access=rmw(mode, order, type_)))
    for type_, order in zip(("i32", "i64", "f32", "f64"), ORDERS, strict=True):
        entries.append(ENTRY.format(name=f"cas_{type_}", type=type_, access=cas(order, type_)))
    for index, type_ in enumerate(("i8", "i16", *TYPES)):
        orders = ("acquire", "release") if index % 2 else ("relaxed", "relaxed")
        entries.append(ENTRY.format(name=f"copy_{type_}", type=type_, access=ordered_copy(*orders, type_)))
    return ct.load_module(ct.assemble("".join(entries)))


def run(entry, dtype, expected=None):
    memory, value = numbers(dtype, 1), numbers(dtype, 2)
    before, old = memory.copy(), np.zeros(LANES, dtype)
    mask = np.arange(LANES) % 3 != 1
    entry[1](memory, value, value if expected is None else expected(memory), old, mask)
    return before, memory, value, old, mask


@pytest.mark.parametrize("mode,type_", [(mode, type_) for mode, (types, _) in FUNCTIONS.items() for type_ in types])
def test_every_function_and_type(module, mode, type_):
    before, after, value, old, mask = run(getattr(module, f"{mode}_{type_}"), TYPES[type_])
    result = FUNCTIONS[mode][1](before, value)
    assert (after[mask] == result[mask]).all()
    assert (after[~mask] == before[~mask]).all()
    assert (old[mask] == before[mask]).all()


@pytest.mark.parametrize("type_", ["i32", "i64", "f32", "f64"])
def test_compare_and_swap(module, type_):
    def expected(memory):
        return np.where(np.arange(LANES) % 2, memory, memory + 1).astype(memory.dtype)

    before, after, value, old, mask = run(getattr(module, f"cas_{type_}"), TYPES[type_], expected)
    swaps = mask & (np.arange(LANES) % 2 == 1)
    assert (after == np.where(swaps, value, before)).all()
    # Where the mask is false, what was expected.
    assert (old == np.where(mask, before, expected(before))).all()


@pytest.mark.parametrize("type_,bits", [("f32", np.uint32), ("f64", np.uint64)])
def test_compare_and_swap_compares_bits(module, type_, bits):
    memory = np.array([0.0, -0.0, np.nan, 1.0] * 4, TYPES[type_])
    expected = np.array([-0.0, -0.0, np.nan, 1.0] * 4, TYPES[type_])
    value, old = np.full(LANES, 7, TYPES[type_]), np.zeros(LANES, TYPES[type_])
    before = memory.copy()
    getattr(module, f"cas_{type_}")[1](memory, value, expected, old, np.ones(LANES, bool))
    assert (memory.view(bits) == np.where(before.view(bits) == expected.view(bits), value, before).view(bits)).all()
    assert (old.view(bits) == before.view(bits)).all()


@pytest.mark.parametrize("type_", ["i8", "i16", *TYPES])
def test_ordered_loads_and_stores(module, type_):
    dtype = TYPES.get(type_) or np.dtype(f"int{type_[1:]}").type
    before, after, value, old, mask = run(getattr(module, f"copy_{type_}"), dtype)
    assert (old == np.where(mask, before, value)).all()
    assert (after == np.where(mask, value, before)).all()


# ---- the language


@ct.kernel
def every_atomic(x, old):
    lanes = ct.arange(8, dtype=ct.int32)
    ct.scatter(old, (0, lanes), ct.atomic_add(x, (0, lanes), 5))
    ct.scatter(old, (1, lanes), ct.atomic_max(x, (1, lanes), 3))
    ct.scatter(old, (2, lanes), ct.atomic_min(x, (2, lanes), 3))
    ct.scatter(old, (3, lanes), ct.atomic_and(x, (3, lanes), x.dtype(6)))
    ct.scatter(old, (4, lanes), ct.atomic_or(x, (4, lanes), x.dtype(6)))
    ct.scatter(old, (5, lanes), ct.atomic_xor(x, (5, lanes), x.dtype(6)))
    ct.scatter(old, (6, lanes), ct.atomic_xchg(x, (6, lanes), lanes.astype(x.dtype)))
    ct.scatter(old, (7, lanes), ct.atomic_cas(x, (7, lanes), 4, 100))


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_atomics_of_the_language(dtype):
    x = (np.arange(64).reshape(8, 8) % 8).astype(dtype)
    if np.dtype(dtype).kind == "u":
        x[1:3, 7] = np.iinfo(dtype).max
    before, old = x.copy(), np.zeros_like(x)
    run_block(every_atomic, x, old)
    lanes = np.arange(8)
    expected = [
        before[0] + dtype(5),
        np.maximum(before[1], dtype(3)),
        np.minimum(before[2], dtype(3)),
        before[3] & dtype(6),
        before[4] | dtype(6),
        before[5] ^ dtype(6),
        lanes,
        np.where(before[7] == 4, 100, before[7]),
    ]
    for row, values in enumerate(expected):
        assert (x[row] == values).all(), row
    assert (old == before).all()


@ct.kernel
def outside(x, old, n: int):
    lanes = ct.arange(16, dtype=ct.int32) - 4
    ct.scatter(old, ct.arange(16, dtype=ct.int32), ct.atomic_cas(x, lanes, 1, 2))


def test_an_element_outside_is_left_alone():
    whole = np.ones(16, np.int32)
    old = np.zeros(16, np.int32)
    run_block(outside, whole[4:12], old, 0)
    assert (whole == [1] * 4 + [2] * 8 + [1] * 4).all()
    assert (old == 1).all()


@ct.kernel
def reduce_into_tiles(x, y):
    view = y.tiled_view((8, 16))
    tile = ct.load(x, (0, 0), (8, 16))
    view.atomic_store_add((ct.bid(1), ct.bid(2)), tile)


def test_atomic_stores_of_a_view_clip_at_its_edges():
    x = np.arange(128, dtype=np.float32).reshape(8, 16)
    whole = np.zeros((24, 40), np.float32)
    y = whole[:20, :37]
    ct.launch(None, (4, 3, 3), reduce_into_tiles, (x, y))
    assert (whole[:20, :37] == 4 * np.tile(x, (3, 3))[:20, :37]).all()
    assert not whole[20:].any() and not whole[:, 37:].any()


@ct.kernel
def read_around_an_atomic(x, out):
    before = ct.load(x, (0,), (64,))
    ct.atomic_add(x, ct.arange(64, dtype=ct.int32), 1.0, memory_order=ct.MemoryOrder.RELAXED)
    after = ct.load(x, (0,), (64,))
    ct.store(out, (0, 0), ct.reshape(before, (1, 64)))
    ct.store(out, (1, 0), ct.reshape(after, (1, 64)))


def test_a_loaded_tile_survives_an_atomic():
    x, out = np.arange(64, dtype=np.float32), np.zeros((2, 64), np.float32)
    run_block(read_around_an_atomic, x, out)
    assert (out == [np.arange(64), np.arange(64) + 1]).all()


# ---- between blocks


@pytest.fixture(scope="module", autouse=True)
def several_threads():
    before = ct.get_num_threads()
    ct.set_num_threads(4)
    yield
    ct.set_num_threads(before)


@ct.kernel
def histogram(x, bins):
    ct.atomic_add(bins, ct.load(x, (ct.bid(0),), (256,)), 1)


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_histogram(dtype):
    x = np.random.default_rng(0).integers(0, 32, 1 << 14).astype(np.int32)
    bins = np.zeros(32, dtype)
    histogram[x.size // 256](x, bins)
    assert (bins == np.bincount(x, minlength=32)).all()


@ct.kernel
def in_order_of_arrival(x, arrivals, out):
    rows = ct.gather(x, ct.bid(0) * 16 + ct.arange(16, dtype=ct.int32))
    ct.store(out, (ct.atomic_add(arrivals, 0, 1),), rows)


def test_an_atomic_says_where_a_tile_goes():
    x = np.random.default_rng(2).permutation(16 * 200).astype(np.float32)
    arrivals, out = np.zeros(1, np.int32), np.zeros_like(x)
    in_order_of_arrival[200](x, arrivals, out)
    assert arrivals[0] == 200
    assert sorted(map(tuple, out.reshape(200, 16))) == sorted(map(tuple, x.reshape(200, 16)))


@ct.kernel
def guarded_sum(lock, total, rounds: int):
    for _ in range(rounds):
        while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) == 1:
            pass
        ct.store(total, (0,), ct.load(total, (0,), (32,)) + 1.0)
        ct.store(lock, (0,), 0, memory_order=ct.MemoryOrder.RELEASE, memory_scope=ct.MemoryScope.DEVICE)


def test_a_lock_guards_plain_accesses():
    lock, total = np.zeros(1, np.int32), np.zeros(32, np.float64)
    guarded_sum[100](lock, total, 20)
    assert (total == 2000).all()


SUM, PREFIX = 1, 2  # states of a block


@ct.kernel
def look_back_scan(x, y, state, sums, prefixes):
    """One pass: each block adds up the sums of those before it until one has its prefix ready."""
    block = ct.bid(0)
    inclusive = ct.cumsum(ct.load(x, (block,), (64,)))
    own = ct.sum(ct.load(x, (block,), (64,)))
    ct.store(sums, (block,), own)
    ct.atomic_xchg(state, block, SUM, memory_order=ct.MemoryOrder.RELEASE)
    before = ct.int64(0)
    at = block - 1
    while at >= 0:
        seen = ct.load(state, (at,), (), memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=ct.MemoryScope.DEVICE)
        if seen == PREFIX:
            before = before + ct.load(prefixes, (at,), ())
            at = -1
        elif seen == SUM:
            before = before + ct.load(sums, (at,), ())
            at = at - 1
    ct.store(prefixes, (block,), before + own)
    ct.atomic_xchg(state, block, PREFIX, memory_order=ct.MemoryOrder.RELEASE)
    ct.store(y, (block,), inclusive + before)


def test_a_block_waits_for_lower_numbered_blocks():
    blocks = 300
    x = np.random.default_rng(1).integers(-1000, 1000, blocks * 64)
    for _ in range(3):
        y, sums, prefixes = np.zeros_like(x), np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
        look_back_scan[blocks](x, y, np.zeros(blocks, np.int32), sums, prefixes)
        assert (y == np.cumsum(x)).all()
