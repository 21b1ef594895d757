# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that Tile IR has and the language has no words for: globals, and memory of a block."""

import numpy as np
import pytest
import tilewright as ct


def load(text):
    return ct.load_module(ct.assemble(text))


# ---- globals

VIEW = "partition_view<tile=(4), tensor_view<4xi16, strides=[1]>>"
COUNTERS = f"""global @table alignment = 64 <i16: [3, 1, 4, 1]> : tile<4xi16>
global private @count <i32: [5]> : tile<1xi32>
entry @read(%o: tile<ptr<i16>>) {{
  %g = get_global @table : tile<ptr<i16>>
  %gv = make_tensor_view %g, shape = [4], strides = [1] : tensor_view<4xi16, strides=[1]>
  %gp = make_partition_view %gv : {VIEW}
  %ov = make_tensor_view %o, shape = [4], strides = [1] : tensor_view<4xi16, strides=[1]>
  %op = make_partition_view %ov : {VIEW}
  %zero = constant <i32: 0> : tile<i32>
  %x, %t = load_view_tko weak %gp[%zero] : {VIEW}, tile<i32> -> tile<4xi16>, token
  %t1 = store_view_tko weak %x, %op[%zero] token=%t : tile<4xi16>, {VIEW}, tile<i32> -> token
  return
}}
entry @ticket(%o: tile<ptr<i32>>) {{
  %g = get_global @count : tile<ptr<i32>>
  %one = constant <i32: 1> : tile<i32>
  %old, %t = atomic_rmw_tko acq_rel device %g, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
  %x, %y, %z = get_tile_block_id : tile<i32>
  %at = offset %o, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t1 = store_ptr_tko weak %at, %old : tile<ptr<i32>>, tile<i32> -> token
  return
}}
entry @last(%o: tile<ptr<i32>>) {{
  %g = get_global @count : tile<ptr<i32>>
  %x, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
  %t1 = store_ptr_tko weak %o, %x : tile<ptr<i32>>, tile<i32> -> token
  return
}}
"""


def test_globals_have_a_value_and_keep_what_is_written():
    module = load(COUNTERS)
    table = np.zeros(4, np.int16)
    module.read[1](table)
    assert (table == [3, 1, 4, 1]).all()
    tickets, last = np.zeros(50, np.int32), np.zeros(1, np.int32)
    module.ticket[50](tickets)
    assert sorted(tickets) == list(range(5, 55))
    module.ticket[50](tickets)
    assert sorted(tickets) == list(range(55, 105))
    # Entries of a module share its globals.
    module.last[1](last)
    assert last[0] == 105
    # Another module has its own.
    again = load(COUNTERS)
    again.last[1](last)
    assert last[0] == 5


def test_a_global_is_a_symbol_of_the_object(tmp_path):
    import ctypes

    from tilewright import _native

    built = _native.compile_to(ct.assemble(COUNTERS), "counters", emit="obj")
    library = tmp_path / "counters.so"
    _native.link_shared(built.output, str(library))
    table = (ctypes.c_int16 * 4).in_dll(ctypes.CDLL(str(library)), "table")
    assert list(table) == [3, 1, 4, 1] and ctypes.addressof(table) % 64 == 0
    with pytest.raises(ValueError):
        ctypes.c_int32.in_dll(ctypes.CDLL(str(library)), "count")


# ---- memory of a block

REVERSE = """entry @reverse(%p: tile<ptr<f32>>, %o: tile<ptr<i64>>) {
  %a = alloca num_elem = 16, alignment = 256 : tile<ptr<f32>>
  %b = alloca num_elem = 16, alignment = 4 global : tile<ptr<f32>>
  %lanes = iota : tile<16xi32>
  %0 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %1 = broadcast %0 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %there = offset %1, %lanes : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %2 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %3 = broadcast %2 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %bx, %by, %bz = get_tile_block_id : tile<i32>
  %c16 = constant <i32: 16> : tile<i32>
  %start = muli %bx, %c16 : tile<i32>
  %4 = reshape %start : tile<i32> -> tile<1xi32>
  %5 = broadcast %4 : tile<1xi32> -> tile<16xi32>
  %at = addi %lanes, %5 : tile<16xi32>
  %here = offset %3, %at : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %x, %t = load_ptr_tko weak %here : tile<16xptr<f32>> -> tile<16xf32>, token
  %t1 = store_ptr_tko weak %there, %x token=%t : tile<16xptr<f32>>, tile<16xf32> -> token
  // Other memory: nothing of the first is overwritten.
  %zeros = constant <f32: 0.0> : tile<16xf32>
  %6 = reshape %b : tile<ptr<f32>> -> tile<1xptr<f32>>
  %7 = broadcast %6 : tile<1xptr<f32>> -> tile<16xptr<f32>>
  %other = offset %7, %lanes : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %t2 = store_ptr_tko weak %other, %zeros token=%t1 : tile<16xptr<f32>>, tile<16xf32> -> token
  %last = constant <i32: 15> : tile<16xi32>
  %back = subi %last, %lanes : tile<16xi32>
  %from = offset %1, %back : tile<16xptr<f32>>, tile<16xi32> -> tile<16xptr<f32>>
  %y, %t3 = load_ptr_tko weak %from token=%t2 : tile<16xptr<f32>> -> tile<16xf32>, token
  %t4 = store_ptr_tko weak %here, %y token=%t3 : tile<16xptr<f32>>, tile<16xf32> -> token
  %address = ptr_to_int %a : tile<ptr<f32>> -> tile<i64>
  %slot = offset %o, %bx : tile<ptr<i64>>, tile<i32> -> tile<ptr<i64>>
  %t5 = store_ptr_tko weak %slot, %address : tile<ptr<i64>>, tile<i64> -> token
  return
}
"""


def test_memory_of_a_block():
    x, addresses = np.arange(16 * 40, dtype=np.float32), np.zeros(40, np.int64)
    expected = x.reshape(40, 16)[:, ::-1].ravel()
    load(REVERSE).reverse[40](x, addresses)
    assert (x == expected).all()
    assert (addresses % 256 == 0).all()


LOOP = """entry @k(%o: tile<ptr<i32>>, %n: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %start = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
  %t0 = store_ptr_tko weak %start, %zero : tile<ptr<i32>>, tile<i32> -> token
  %p, %t = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%last = %start, %before = %t0)
      -> (tile<ptr<i32>>, token) {{
    %mine = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
    %old, %t1 = load_ptr_tko weak %last token=%before : tile<ptr<i32>> -> tile<i32>, token
    %t2 = store_ptr_tko weak %mine, %i token=%t1 : tile<ptr<i32>>, tile<i32> -> token
    %now, %t3 = load_ptr_tko weak %mine token=%t2 : tile<ptr<i32>> -> tile<i32>, token
    %sum = addi %old, %now : tile<i32>
    %t4 = store_ptr_tko weak %last, %sum token=%t3 : tile<ptr<i32>>, tile<i32> -> token
    continue {carried}, %t4 : tile<ptr<i32>>, token
  }}
  %x, %t5 = load_ptr_tko weak %p token=%t : tile<ptr<i32>> -> tile<i32>, token
  %t6 = store_ptr_tko weak %o, %x token=%t5 : tile<ptr<i32>>, tile<i32> -> token
  return
}}
"""


def test_memory_of_a_block_in_a_loop():
    out = np.zeros(1, np.int32)
    load(LOOP.format(carried="%last")).k[1](out, 10)
    assert out[0] == 45
    with pytest.raises(ct.TileCompilerExecutionError, match="found an alloca in a loop whose address outlives"):
        load(LOOP.format(carried="%mine")).k[1](out, 10)
