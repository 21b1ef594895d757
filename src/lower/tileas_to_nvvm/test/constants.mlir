// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constant whose elements differ is a table, from which each thread takes its own; flags are bytes there.
// RUN: tilewright compile %s --target=sm_80 --emit=tileas -o - | FileCheck %s --check-prefix=TILES
// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s

// TILES-DAG: arith.constant dense<[3, 1, 4, 1]> : tensor<4xi32, #
// TILES-DAG: arith.constant dense<[true, false, false, true]> : tensor<4xi1, #
// CHECK-DAG: .global {{.*}}[16] = {3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1}
// CHECK-DAG: .global {{.*}}[4] = {1, 0, 0, 1}
// CHECK-COUNT-2: ld.global
// CHECK: st.global
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %0 = constant <i32: [3, 1, 4, 1]> : tile<4xi32>
    %1 = constant <i1: [true, false, false, true]> : tile<4xi1>
    %i = iota : tile<4xi32>
    %s = select %1, %0, %i : tile<4xi1>, tile<4xi32>
    %b = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %c = broadcast %b : tile<1xptr<i32>> -> tile<4xptr<i32>>
    %d = offset %c, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
    %t = store_ptr_tko weak %d, %s : tile<4xptr<i32>>, tile<4xi32> -> token
    return
  }
}
