// What a file has in it: its sections, and for each entry what it takes and what it does.
// RUN: tilewright as %s -o %t.tilebc
// RUN: tilewright info %t.tilebc | FileCheck %s --check-prefixes=BYTES,BOTH
// RUN: tilewright info %s | FileCheck %s --check-prefixes=TEXT,BOTH
// RUN: tilewright info --json %t.tilebc | %python -c "import json,sys; d=json.load(sys.stdin); print(d['version'], [s['name'] for s in d['sections']], d['entries'][0]['hints'], d['entries'][0]['parameters'][0], d['entries'][1]['operations'], d['globals'])" | FileCheck %s --check-prefix=JSON

// BYTES: info.mlir{{.*}}.tilebc: Tile IR bytecode 13.4, {{[0-9]+}} bytes
// BYTES: section offset bytes items
// BYTES: Func {{[0-9]+ [0-9]+}} 2
// TEXT: info.mlir: Tile IR text, {{[0-9]+}} bytes
// TEXT-NOT: section

// BOTH: global @table tile<4xf32>

// BOTH: entry @copy
// BOTH-NEXT: hints for default: occupancy=2
// BOTH-NEXT: hints for sm_100: num_cta_in_cga=2 occupancy=4
// BOTH-NEXT: 0  tile<ptr<f32>>  pointer, read only, a multiple of 16
// BOTH-NEXT: 1  tile<i32> 32-bit integer, at least 0, at most 1024
// BOTH-NEXT: 2  tile<ptr<f32>>  pointer, written
// BOTH-NEXT: 12 operations: 3 assume, 2 make_partition_view, 2 make_tensor_view, 1 get_tile_block_id

// BOTH: entry @nothing
// BOTH-NEXT: 0  tile<f16>  16-bit float
// BOTH-NEXT: 1 operations: 1 return

// JSON: 13.4 ['{{.*}}Func'{{.*}}] {'default': {'occupancy': 2}, 'sm_100': {'num_cta_in_cga': 2, 'occupancy': 4}} {'multiple_of': 16, 'passed': 'pointer', 'type': 'tile<ptr<f32>>', 'written': False} {'return': 1} [{'name': 'table', 'type': 'tile<4xf32>'}]

cuda_tile.module @kernels {
  global @table <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
  entry @copy(%in: tile<ptr<f32>>, %n: tile<i32>, %out: tile<ptr<f32>>) optimization_hints=<default = {occupancy = 2 : i32}, sm_100 = {num_cta_in_cga = 2 : i32, occupancy = 4 : i32}> {
    %token = make_token : token
    %from = assume div_by<16>, %in : tile<ptr<f32>>
    %some = assume bounded<0, ?>, %n : tile<i32>
    %length = assume bounded<?, 1024>, %some : tile<i32>
    %a = make_tensor_view %from, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %b = make_tensor_view %out, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %pa = make_partition_view %a : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %pb = make_partition_view %b : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %value, %read = load_view_tko weak %pa[%x] token = %token : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %done = store_view_tko weak %value, %pb[%x] token = %token : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
  entry @nothing(%x: tile<f16>) {
    return
  }
}
