// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Terminators without values go without saying, except a break or return.
cuda_tile.module @control {
  // CHECK-LABEL: entry @loops
  entry @loops(%n: tile<i32>, %c: tile<i1>, %x: tile<f32>) {
    // CHECK: for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> {
    // CHECK-NEXT: }
    for %i in (%n to %n, step %n) : tile<i32> {
    }
    // CHECK: %for = for unsigned %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> iter_values(%iterArg0 = %arg2) -> (tile<f32>) {
    // CHECK-NEXT: continue %iterArg0 : tile<f32>
    %0 = for unsigned %i in (%n to %n, step %n) : tile<i32> iter_values(%a = %x) -> (tile<f32>) {
      continue %a : tile<f32>
    }
    // CHECK: loop {
    // CHECK-NEXT: break
    loop {
      break
    }
    // CHECK: loop : tile<i32> {
    %1 = loop : tile<i32> {
      break %n : tile<i32>
    }
    // CHECK: loop iter_values(%[[A:.*]] = %arg2) : tile<f32> {
    loop iter_values(%a = %x) : tile<f32> {
      continue %a : tile<f32>
    }
    // A continue that ends a branch is not what ends a branch by itself.
    // CHECK: for %loopIdx in (%arg0 to %arg0, step %arg0) : tile<i32> {
    // CHECK-NEXT: if %arg1 {
    // CHECK-NEXT: continue
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    for %i in (%n to %n, step %n) : tile<i32> {
      if %c {
        continue
      }
    }
    // CHECK: loop iter_values(%[[B:.*]] = %arg2) : tile<f32> -> tile<i32>, tile<i1> {
    // CHECK-NEXT: if %arg1 {
    // CHECK-NEXT: break %arg0, %arg1 : tile<i32>, tile<i1>
    // CHECK-NEXT: } else {
    // CHECK-NEXT: continue %[[B]] : tile<f32>
    %2:2 = loop iter_values(%a = %x) : tile<f32> -> tile<i32>, tile<i1> {
      if %c {
        break %n, %c : tile<i32>, tile<i1>
      } else {
        continue %a : tile<f32>
      }
      continue %a : tile<f32>
    }
    return
  }
  // CHECK-LABEL: entry @branches
  entry @branches(%c: tile<i1>, %n: tile<i32>) {
    // CHECK: if %arg0 -> (tile<i32>) {
    // CHECK-NEXT: yield %arg1 : tile<i32>
    %0 = if %c -> (tile<i32>) {
      yield %n : tile<i32>
    } else {
      yield %n : tile<i32>
    }
    // CHECK: if %arg0 {
    // CHECK-NEXT: }
    // CHECK-NEXT: if %arg0 {
    // CHECK-NEXT: return
    // CHECK-NEXT: } else {
    // CHECK-NEXT: }
    if %c {
    }
    if %c {
      return
    } else {
    }
    return
  }
}
