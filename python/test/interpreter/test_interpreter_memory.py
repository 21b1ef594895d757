# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pointers, globals, allocas, tokens and assumptions in the interpreter."""

import numpy as np
import pytest
import tilewright as ct

from interpreter import NUMPY, assert_same_bits, run, some

every_element = pytest.mark.parametrize("e", NUMPY)


def pointers(e: str, count: int, name: str) -> str:
    return f"""
  %row{name} = reshape %{name} : tile<ptr<{e}>> -> tile<1xptr<{e}>>
  %all{name} = broadcast %row{name} : tile<1xptr<{e}>> -> tile<{count}xptr<{e}>>
"""


def gather(e: str, load: str, more: str = "") -> str:
    """out[i] = a[index[i]] by what `load` says; %index is a tile of 8 indices, %m a mask."""
    return f"""cuda_tile.module @m {{ entry @main(%a: tile<ptr<{e}>>, %i: tile<ptr<i32>>, %k: tile<ptr<i1>>, \
%o: tile<ptr<{e}>>) {{
  %n = iota : tile<8xi32>
  {pointers("i32", 8, "i")} {pointers("i1", 8, "k")} {pointers(e, 8, "a")} {pointers(e, 8, "o")}
  %pi = offset %alli, %n : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
  %index, %t0 = load_ptr_tko weak %pi : tile<8xptr<i32>> -> tile<8xi32>, token
  %pk = offset %allk, %n : tile<8xptr<i1>>, tile<8xi32> -> tile<8xptr<i1>>
  %m, %t1 = load_ptr_tko weak %pk : tile<8xptr<i1>> -> tile<8xi1>, token
  %po = offset %allo, %n : tile<8xptr<{e}>>, tile<8xi32> -> tile<8xptr<{e}>>
  %pa = offset %alla, %index : tile<8xptr<{e}>>, tile<8xi32> -> tile<8xptr<{e}>>
  {more}
  {load}
  return
}} }}"""


INDEX = np.array([3, 3, 0, 15, 8, -1, 2, 7], np.int32)
MASK = np.array([1, 0, 1, 1, 0, 1, 1, 0], bool)


def launch(text: str, e: str, a: np.ndarray, out: np.ndarray) -> None:
    # One element before the first, since an index is negative.
    run(text, a[1:], INDEX, MASK, out)


@every_element
def test_load_through_pointers(e):
    a, out = some(e, 17), some(e, 8, 1)
    load = f"""
  %v, %t = load_ptr_tko weak %pa : tile<8xptr<{e}>> -> tile<8x{e}>, token
  %s = store_ptr_tko weak %po, %v token=%t : tile<8xptr<{e}>>, tile<8x{e}> -> token"""
    launch(gather(e, load), e, a, out)
    assert_same_bits(out, a[INDEX + 1])


@every_element
def test_a_masked_load_gives_the_padding(e):
    a, out = some(e, 17), some(e, 8, 1)
    load = f"""
  %w, %t2 = load_ptr_tko weak %po : tile<8xptr<{e}>> -> tile<8x{e}>, token
  %v, %t = load_ptr_tko weak %pa, %m, %w : tile<8xptr<{e}>>, tile<8xi1>, tile<8x{e}> -> tile<8x{e}>, token
  %s = store_ptr_tko weak %po, %v token=%t : tile<8xptr<{e}>>, tile<8x{e}> -> token"""
    expected = np.where(MASK, a[INDEX + 1], out)
    launch(gather(e, load), e, a, out)
    assert_same_bits(out, expected)


def test_a_masked_element_is_not_touched():
    # The pointers of masked elements lead nowhere.
    text = gather(
        "i32",
        """
  %far = constant <i64: 1> : tile<8xi64>
  %nowhere = int_to_ptr %far : tile<8xi64> -> tile<8xptr<i32>>
  %p = select %m, %pa, %nowhere : tile<8xi1>, tile<8xptr<i32>>
  %v, %t = load_ptr_tko weak %p, %m : tile<8xptr<i32>>, tile<8xi1> -> tile<8xi32>, token
  %q = select %m, %po, %nowhere : tile<8xi1>, tile<8xptr<i32>>
  %s = store_ptr_tko weak %q, %v, %m token=%t : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token""",
    )
    a, out = some("i32", 17), some("i32", 8, 1)
    expected = np.where(MASK, a[INDEX + 1], out)
    launch(text, "i32", a, out)
    assert_same_bits(out, expected)


@every_element
def test_a_scatter_writes_in_order(e):
    values, out = some(e, 8), some(e, 17, 1)
    text = gather(
        e,
        f"""
  %v, %t = load_ptr_tko relaxed device %pa : tile<8xptr<{e}>> -> tile<8x{e}>, token
  %back = offset %allo, %index : tile<8xptr<{e}>>, tile<8xi32> -> tile<8xptr<{e}>>
  %s = store_ptr_tko release sys %back, %v, %m token=%t : tile<8xptr<{e}>>, tile<8x{e}>, tile<8xi1> -> token
""",
    ).replace("offset %alla, %index", "offset %alla, %n")
    expected = out.copy()
    for i in range(8):
        if MASK[i]:
            expected[1 + INDEX[i]] = values[i]
    run(text, values, INDEX, MASK, out[1:])
    assert_same_bits(out, expected)


def test_offsets_are_signed_and_count_elements():
    a = np.arange(10, dtype=np.float64)
    out = np.zeros(1)
    run("""cuda_tile.module @m { entry @main(%a: tile<ptr<f64>>, %o: tile<ptr<f64>>) {
  %d = constant <i8: -3> : tile<i8>
  %p = offset %a, %d : tile<ptr<f64>>, tile<i8> -> tile<ptr<f64>>
  %v, %t = load_ptr_tko weak %p : tile<ptr<f64>> -> tile<f64>, token
  %s = store_ptr_tko weak %o, %v : tile<ptr<f64>>, tile<f64> -> token
  return
} }""", a[5:], out)  # fmt: skip
    assert out[0] == 2


def test_pointers_in_memory():
    a, out = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    table = np.array([a[i:].ctypes.data for i in (2, 0, 3, 1)], np.int64)
    run("""cuda_tile.module @m { entry @main(%words: tile<ptr<i64>>, %o: tile<ptr<i32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %p = offset %words, %x : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
  %word, %t = load_ptr_tko weak %p : tile<ptr<i64>> -> tile<i64>, token
  %row = int_to_ptr %word : tile<i64> -> tile<ptr<i32>>
  %v, %t2 = load_ptr_tko weak %row token=%t : tile<ptr<i32>> -> tile<i32>, token
  %q = offset %o, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %s = store_ptr_tko weak %q, %v : tile<ptr<i32>>, tile<i32> -> token
  return
} }""", table, out, grid=(4, 1, 1))  # fmt: skip
    assert out.tolist() == [2, 0, 3, 1]


COUNTER = """cuda_tile.module @m {
  global @counter <i32: [10, 20]> : tile<2xi32>
  global @numbers alignment = 256 <f16: [1.5, -2.0]> : tile<2xf16>
  entry @count(%o: tile<ptr<i32>>) {
    %p = get_global @counter : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    %n = addi %v, %one : tile<i32>
    %s = store_ptr_tko weak %q, %n token=%t : tile<ptr<i32>>, tile<i32> -> token
    %s2 = store_ptr_tko weak %o, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @look(%o: tile<ptr<i32>>, %f: tile<ptr<f16>>, %a: tile<ptr<i64>>) {
    %p = get_global @counter : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %q : tile<ptr<i32>> -> tile<i32>, token
    %s = store_ptr_tko weak %o, %v : tile<ptr<i32>>, tile<i32> -> token
    %g = get_global @numbers : tile<ptr<f16>>
    %w, %t2 = load_ptr_tko weak %g : tile<ptr<f16>> -> tile<f16>, token
    %s2 = store_ptr_tko weak %f, %w : tile<ptr<f16>>, tile<f16> -> token
    %address = ptr_to_int %g : tile<ptr<f16>> -> tile<i64>
    %s3 = store_ptr_tko weak %a, %address : tile<ptr<i64>>, tile<i64> -> token
    return
  }
}"""


def test_globals_live_as_long_as_the_module():
    module = ct.load_module(COUNTER.encode())
    out, half, address = np.zeros(1, np.int32), np.zeros(1, np.float16), np.zeros(1, np.int64)
    for expected in (21, 22, 23):
        module["count"].compile("interpreter").run((1, 1, 1), [out.ctypes.data])
        assert out[0] == expected
    look = module["look"].compile("interpreter")
    look.run((1, 1, 1), [out.ctypes.data, half.ctypes.data, address.ctypes.data])
    assert out[0] == 23 and half[0] == 1.5 and address[0] % 256 == 0
    # Another module has memory of its own.
    other = ct.load_module(COUNTER.encode())
    other["count"].compile("interpreter").run((1, 1, 1), [out.ctypes.data])
    assert out[0] == 21


def test_alloca():
    out = np.zeros(2, np.int64)
    run("""cuda_tile.module @m { entry @main(%o: tile<ptr<i64>>) {
  %a = alloca num_elem = 4, alignment = 128 : tile<ptr<i64>>
  %b = alloca num_elem = 4, alignment = 8 global : tile<ptr<i64>>
  %three = constant <i32: 3> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %x = constant <i64: 42> : tile<i64>
  %pa = offset %a, %three : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
  %pb = offset %b, %three : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
  %y = constant <i64: 43> : tile<i64>
  %s = store_ptr_tko weak %pa, %x : tile<ptr<i64>>, tile<i64> -> token
  %s1 = store_ptr_tko weak %pb, %y : tile<ptr<i64>>, tile<i64> -> token
  %v, %t = load_ptr_tko weak %pa token=%s : tile<ptr<i64>> -> tile<i64>, token
  %s2 = store_ptr_tko weak %o, %v : tile<ptr<i64>>, tile<i64> -> token
  %address = ptr_to_int %a : tile<ptr<i64>> -> tile<i64>
  %po = offset %o, %one : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
  %s3 = store_ptr_tko weak %po, %address : tile<ptr<i64>>, tile<i64> -> token
  return
} }""", out)  # fmt: skip
    assert out[0] == 42 and out[1] % 128 == 0


def test_too_large_an_alloca_is_an_error():
    with pytest.raises(ct.TileInterpreterError, match="asks for 8589934592 bytes after 0, expected at most 1073741824"):
        run("""cuda_tile.module @m { entry @main() {
  %a = alloca num_elem = 1073741824, alignment = 8 : tile<ptr<i64>>
  return
} }""")


def test_too_large_an_alignment_of_a_global_is_an_error():
    with pytest.raises(ct.TileInterpreterError, match="there is no memory of 4 bytes at a multiple of 1099511627776"):
        run("""cuda_tile.module @m { global @g alignment = 1099511627776 <i32: [1]> : tile<1xi32>
  entry @main() { return } }""")


def test_tokens_and_grid_dependencies_go_through():
    out = np.zeros(1, np.int32)
    run("""cuda_tile.module @m { entry @main(%o: tile<ptr<i32>>) {
  %t0 = make_token : token
  %t1 = gdc_wait_tko token = %t0 -> token
  %t2 = gdc_launch_dependents_tko -> token
  %t3 = join_tokens %t1, %t2 : token
  %t4 = memory_fence_alias_tko %t3
  %v = constant <i32: 5> : tile<i32>
  %s = store_ptr_tko weak %o, %v token=%t4 : tile<ptr<i32>>, tile<i32> -> token
  return
} }""", out)  # fmt: skip
    assert out[0] == 5


def test_false_assumptions_do_nothing_in_a_normal_run():
    out = np.zeros(1, np.int32)
    run("""cuda_tile.module @m { entry @main(%o: tile<ptr<i32>>, %n: tile<i32>) {
  %a = assume bounded<0, 4>, %n : tile<i32>
  %b = assume div_by<16>, %a : tile<i32>
  %s = store_ptr_tko weak %o, %b : tile<ptr<i32>>, tile<i32> -> token
  return
} }""", out, 7)  # fmt: skip
    assert out[0] == 7


def test_tiles_that_no_memory_holds_are_an_error():
    constants = "\n".join(f"  %c{i} = constant <f64: 0.0> : tile<16777216xf64>" for i in range(40))
    with pytest.raises(ct.TileInterpreterError, match="tiles of the entry take 5368709120 bytes while a block runs"):
        run(f"cuda_tile.module @m {{ entry @main() {{\n{constants}\n  return\n}} }}")
