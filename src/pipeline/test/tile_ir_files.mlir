// Tile IR goes from text to bytecode and back; what a file is called says nothing.
// RUN: tilewright as %s -o %t.any
// RUN: tilewright dis %t.any -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tilewright as %t.mlir | tilewright dis - | cmp - %t.mlir

// Locations come back too; the text itself has places, where nothing else is said.
// RUN: tilewright dis -g %t.any | tilewright as - | cmp - %t.any
// RUN: tilewright as %s | tilewright dis -g - | FileCheck %s --check-prefix=PLACES

// Bytecode can be written for an older version again, if that has everything.
// RUN: tilewright as %t.any --bytecode-version 13.1 | tilewright info - | FileCheck %s --check-prefix=OLD
// OLD: <stdin>: Tile IR bytecode 13.1,

// What NVIDIA's tool of this name prints is the content of the module; it can be read as well.
// RUN: tileirdisasm %t.any > %t.content
// RUN: FileCheck %s --check-prefix=CONTENT --input-file=%t.content
// RUN: tilewright as %t.content | tilewright dis - | cmp - %t.mlir
// RUN: tileirdisasm -g %t.any | tilewright as - | cmp - %t.any

// The compiler and the pass driver take all forms.
// RUN: tilewright compile %t.any --emit=asm -o %t.s
// RUN: tilewright compile %s --emit=asm | cmp - %t.s
// RUN: tilewright compile - --emit=asm < %t.content | cmp - %t.s
// RUN: tilewright compile %s --emit=tilebc | cmp - %t.any
// RUN: tilewright-opt %t.any --cuda-tile-to-tileaa | FileCheck %s --check-prefix=PASS

// CHECK: cuda_tile.module @kernels {
// CHECK-NEXT: entry @fill(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {
// CHECK-NEXT: %0 = make_token : token
// CHECK: store_view_tko
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NOT: {{.}}

// PLACES: entry @fill(
// PLACES-NEXT: make_token : token loc(
// PLACES: tile_ir_files.mlir":[[@LINE+16]]:

// CONTENT: {{^}}entry @fill(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {{.*}}{
// CONTENT-NEXT: {{^  }}%0 = make_token : token
// CONTENT: {{^}}}
// CONTENT-NOT: {{.}}

// PASS: func.func @fill

cuda_tile.module @kernels {
  entry @fill(%out: tile<ptr<f32>>, %n: tile<i32>) {
    %token = make_token : token
    %length = assume bounded<0, ?>, %n : tile<i32>
    %view = make_tensor_view %out, shape = [%length], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %tiles = make_partition_view %view : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %value = constant <f32: 2.5> : tile<16xf32>
    %done = store_view_tko weak %value, %tiles[%x] token = %token : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
