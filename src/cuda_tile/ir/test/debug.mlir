// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @debug {
  // CHECK-LABEL: entry @messages
  entry @messages(%c: tile<i1>, %n: tile<i32>) {
    // CHECK: assert %arg0, "out of \22range\22" : tile<i1>
    assert %c, "out of \"range\"" : tile<i1>
    // CHECK: %[[T:.*]] = print_tko "n = %d\0A", %arg1 : tile<i32> -> token
    %t = print_tko "n = %d\n", %n : tile<i32> -> token
    // CHECK: print_tko "done" token=%[[T]] -> token
    %u = print_tko "done" token=%t -> token
    return
  }
}
