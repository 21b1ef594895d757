# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Atomics of the interpreter: every mode on every element type it has, with masks, through pointers and views."""

import numpy as np
import pytest

from interpreter import NUMPY, assert_same_bits, run, some, tile

INTEGER = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "umax": lambda a, b: np.maximum(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")).view(a.dtype),
    "umin": lambda a, b: np.minimum(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")).view(a.dtype),
}
ON_INTEGERS = [(mode, e) for mode in (*INTEGER, "xchg") for e in ("i32", "i64")]
ON_FLOATS = [("addf", e) for e in ("f16", "f32", "f64")] + [("xchg", "f32"), ("xchg", "f64")]


def expected_of(mode: str, old, value):
    if mode == "xchg":
        return value
    with np.errstate(all="ignore"):
        return old + value if mode == "addf" else INTEGER[mode](old, value)


def numbers(e: str, count: int, seed: int):
    if e[0] == "i":
        return some(e, count, seed)
    return (np.random.default_rng(seed).standard_normal(count) * 100).astype(NUMPY[e])


def program(e: str, op: str) -> str:
    names = {"a": e, "b": e, "c": e, "k": "i1", "o": e}
    lines = ["  %n = iota : tile<8xi32>"]
    for name, element in names.items():
        lines.append(f"""  %r{name} = reshape %{name} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %s{name} = broadcast %r{name} : tile<1xptr<{element}>> -> tile<8xptr<{element}>>
  %p{name} = offset %s{name}, %n : tile<8xptr<{element}>>, tile<8xi32> -> tile<8xptr<{element}>>
  %v{name}, %t{name} = load_ptr_tko weak %p{name} : tile<8xptr<{element}>> -> {tile(element, (8,))}, token""")
    lines.append(op.format(e=e, p=f"tile<8xptr<{e}>>", v=tile(e, (8,))))
    lines.append(f"  %done = store_ptr_tko weak %po, %old : tile<8xptr<{e}>>, {tile(e, (8,))} -> token\n  return")
    parameters = ", ".join(f"%{name}: tile<ptr<{element}>>" for name, element in names.items())
    return f"cuda_tile.module @m {{ entry @main({parameters}) {{\n" + "\n".join(lines) + "\n} }"


MASK = np.array([1, 1, 0, 1, 0, 0, 1, 1], bool)


@pytest.mark.parametrize("mode, e", ON_INTEGERS + ON_FLOATS)
def test_rmw(mode, e):
    a, b, old = numbers(e, 8, 1), numbers(e, 8, 2), np.zeros(8, NUMPY[e])
    before = a.copy()
    op = f"  %old, %t = atomic_rmw_tko acq_rel device %pa, {mode}, %vb : {{p}}, {{v}} -> {{v}}, token"
    run(program(e, op), a, b, b, MASK, old)
    assert_same_bits(old, before)
    assert_same_bits(a, expected_of(mode, before, b))


@pytest.mark.parametrize("mode, e", [("add", "i32"), ("addf", "f64")])
def test_masked_rmw(mode, e):
    a, b, old = numbers(e, 8, 1), numbers(e, 8, 2), np.zeros(8, NUMPY[e])
    before = a.copy()
    op = f"  %old, %t = atomic_rmw_tko relaxed sys %pa, {mode}, %vb, %vk : {{p}}, {{v}}, tile<8xi1> -> {{v}}, token"
    run(program(e, op), a, b, b, MASK, old)
    assert_same_bits(old[MASK], before[MASK])
    assert_same_bits(a, np.where(MASK, expected_of(mode, before, b), before))


def test_addf_of_bf16_rounds_to_nearest_even():
    # 256 + 1 is between 256 and 258, 258 + 1 between 258 and 260: ties go to the even mantissa.
    a, b, old = np.array([0x4380, 0x4381] * 4, np.uint16), np.full(8, 0x3F80, np.uint16), np.zeros(8, np.uint16)
    op = "  %old, %t = atomic_rmw_tko relaxed device %pa, addf, %vb : {p}, {v} -> {v}, token"
    run(program("bf16", op), a, b, b, MASK, old)
    assert a.tolist() == [0x4380, 0x4382] * 4


@pytest.mark.parametrize(
    "e, signaling", [("f16", 0x7C01), ("bf16", 0x7F81), ("f32", 0x7F800001), ("f64", 0x7FF << 52 | 1)]
)
def test_addf_to_a_signaling_nan_ends(e, signaling):
    bits = np.dtype(f"u{np.dtype(NUMPY[e]).itemsize}")
    a, b, old = np.full(8, signaling, bits), np.zeros(8, bits), np.zeros(8, bits)
    op = "  %old, %t = atomic_rmw_tko relaxed device %pa, addf, %vb : {p}, {v} -> {v}, token"
    run(program(e, op), a, b, b, MASK, old)
    assert (old == signaling).all()
    assert (a == a[0]).all() and a[0] > signaling  # quiet


def test_elements_that_meet_come_one_after_the_other():
    a, old = np.array([5], np.int32), np.zeros(8, np.int32)
    text = program("i32", "  %old, %t = atomic_rmw_tko relaxed device %sa, add, %vb : {p}, {v} -> {v}, token")
    # Only the first element of %a is there.
    text = text.replace("%pa = offset %sa, %n", "%pa = offset %sa, %none").replace(
        "  %n = iota", "  %none = constant <i32: 0> : tile<8xi32>\n  %n = iota"
    )
    b = np.arange(1, 9, dtype=np.int32)
    run(text, a, b, b, MASK, old)
    assert a[0] == 5 + 36
    assert old.tolist() == [5, *(5 + np.cumsum(b)[:-1])]


@pytest.mark.parametrize("e", ["i32", "i64", "f32", "f64"])
def test_cas(e):
    a, b, old = numbers(e, 8, 1), numbers(e, 8, 2), np.zeros(8, NUMPY[e])
    c = a.copy()
    c[::3] = numbers(e, 3, 4)
    if e[0] == "f":  # compared by bits: -0 is not 0, and NaN is itself
        a[1], c[1] = -0.0, 0.0
        a[4] = c[4] = np.nan
    before = a.copy()
    op = "  %old, %t = atomic_cas_tko acquire device %pa, %vc, %vb : {p}, {v} -> {v}, token"
    run(program(e, op), a, b, c, MASK, old)
    same = before.view(f"i{before.itemsize}") == c.view(f"i{c.itemsize}")
    assert same.any() and not same.all()
    assert_same_bits(old, before)
    assert_same_bits(a, np.where(same, b, before))


def test_masked_cas_gives_what_it_compared_with():
    a, b, c, old = (numbers("i32", 8, seed) for seed in range(4))
    c[:4] = a[:4]
    before = a.copy()
    op = "  %old, %t = atomic_cas_tko relaxed device %pa, %vc, %vb, %vk : {p}, {v}, tile<8xi1> -> {v}, token"
    run(program("i32", op), a, b, c, MASK, old)
    assert_same_bits(old, np.where(MASK, before, c))
    assert_same_bits(a, np.where(MASK & (before == c), b, before))


@pytest.mark.parametrize("mode, e", [(m, e) for m in INTEGER for e in ("i32", "i64")] + ON_FLOATS[:3])
def test_red_view_clips(mode, e):
    a, b = numbers(e, 30, 1).reshape(5, 6), numbers(e, 8, 2).reshape(2, 4)
    before = a.copy()
    tensor, other = f"tensor_view<5x6x{e}, strides=[6, 1]>", f"tensor_view<2x4x{e}, strides=[4, 1]>"
    view, whole = f"partition_view<tile=(2x4), {tensor}>", f"partition_view<tile=(2x4), {other}>"
    run(f"""cuda_tile.module @m {{ entry @main(%a: tile<ptr<{e}>>, %b: tile<ptr<{e}>>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %ta = make_tensor_view %a, shape = [5, 6], strides = [6, 1] : {tensor}
  %pa = make_partition_view %ta : {view}
  %tb = make_tensor_view %b, shape = [2, 4], strides = [4, 1] : {other}
  %pb = make_partition_view %tb : {whole}
  %v, %r = load_view_tko weak %pb[%zero, %zero] : {whole}, tile<i32> -> tile<2x4x{e}>, token
  %t = atomic_red_view_tko relaxed device %pa[%x, %y], {mode}, %v : tile<2x4x{e}>, {view}, tile<i32> -> token
  return
}} }}""", a, b, grid=(3, 2, 1))  # fmt: skip
    assert_same_bits(a, expected_of(mode, before, np.tile(b, (3, 2))[:5, :6]))


@pytest.mark.parametrize("kind", ["add", "min", "max", "and", "or", "xor", "umin", "umax"])
@pytest.mark.parametrize("e", ["i32", "i64"])
def test_multicast_on_one_device_is_the_plain_operation(kind, e):
    a, b, out = some(e, 8, 1), some(e, 8, 2), np.zeros(8, NUMPY[e])
    before = a.copy()
    tensor = f"tensor_view<8x{e}, strides=[1], #cuda_tile.ptr_attr<multicast>>"
    view, plain = f"partition_view<tile=(8), {tensor}>", f"partition_view<tile=(8), tensor_view<8x{e}, strides=[1]>>"
    make = "\n".join(f"""
  %t{name} = make_tensor_view %{name}, shape = [8], strides = [1] : tensor_view<8x{e}, strides=[1]>
  %p{name} = make_partition_view %t{name} : {plain}""" for name in "bo")  # fmt: skip
    run(f"""cuda_tile.module @m {{
entry @main(%a: tile<ptr<{e}, <multicast>>>, %b: tile<ptr<{e}>>, %o: tile<ptr<{e}>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %ta = make_tensor_view %a, shape = [8], strides = [1] : tile<ptr<{e}, <multicast>>> -> {tensor}
  %pa = make_partition_view %ta : {view}
{make}
  %v, %r = load_view_tko weak %pb[%zero] : {plain}, tile<i32> -> tile<8x{e}>, token
  %t1 = multimem_reduce_view_tko relaxed sys %pa, %v[%zero] attributes \
{{reduction = #cuda_tile.multimem_reduction_kind<{kind}>}} : {view}, tile<8x{e}>, tile<i32> -> token
  %w, %t2 = multimem_load_reduce_view_tko relaxed sys %pa[%zero] token = %t1 : {view}, tile<i32>, token -> \
tile<8x{e}>, token
  %t3 = multimem_store_view_tko relaxed sys %pa, %v[%zero] : {view}, tile<8x{e}>, tile<i32> -> token
  %done = store_view_tko weak %w, %po[%zero] : tile<8x{e}>, {plain}, tile<i32> -> token
  return
}} }}""", a, b, out)  # fmt: skip
    assert_same_bits(out, INTEGER[kind](before, b))
    assert_same_bits(a, b)
