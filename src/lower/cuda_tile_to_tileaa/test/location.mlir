// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

#file = #cuda_tile.di_file<"kernel.py" in "">
#unit = #cuda_tile.di_compile_unit<file = #file>
#scope = #cuda_tile.di_subprogram<file = #file, line = 20, name = "scoped", linkageName = "scoped", compileUnit = #unit, scopeLine = 20>
#begin = #cuda_tile.di_loc<loc("kernel.py":20:1) in #scope>
#callee = #cuda_tile.di_loc<loc("helper.py":3:5) in #scope>
#call = #cuda_tile.di_loc<loc("kernel.py":21:9) in #scope>
#return = #cuda_tile.di_loc<loc("kernel.py":22:5) in #scope>

cuda_tile.module @m {
// CHECK: func.func @k(%{{.*}}: f32
entry @k(%x: tile<f32>) {
  // CHECK: arith.addf {{.*}} loc(callsite("helper.py":3:5 at "kernel.py":10:9))
  %0 = addf %x, %x : tile<f32> loc(callsite("helper.py":3:5 at "kernel.py":10:9))
  // CHECK: return loc("kernel.py":11:5)
  return loc("kernel.py":11:5)
} loc("kernel.py":8:1)

// Scopes are cuda_tile's and go with it.
// CHECK: func.func @scoped
// CHECK: arith.addf {{.*}} loc(callsite("helper.py":3:5 at "kernel.py":21:9))
// CHECK: return loc("kernel.py":22:5)
// CHECK: } loc("kernel.py":20:1)
// CHECK-NOT: di_loc
entry @scoped(%x: tile<f32>) {
  %0 = addf %x, %x : tile<f32> loc(callsite(#callee at #call))
  return loc(#return)
} loc(#begin)
}
