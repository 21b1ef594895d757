// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

cuda_tile.module @m {
// CHECK: func.func @k(%{{.*}}: f32
entry @k(%x: tile<f32>) {
  // CHECK: arith.addf {{.*}} loc(callsite("helper.py":3:5 at "kernel.py":10:9))
  %0 = addf %x, %x : tile<f32> loc(callsite("helper.py":3:5 at "kernel.py":10:9))
  // CHECK: return loc("kernel.py":11:5)
  return loc("kernel.py":11:5)
} loc("kernel.py":8:1)
}
