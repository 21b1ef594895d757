// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-contract-sums --verify-each | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#point = affine_map<(d0) -> ()>

// Two factors of 8 bits have a product of 16 bits, which f32 holds.
// CHECK-LABEL: func.func @bfloats
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: arith.addf {{.*}} fastmath<contract>
func.func @bfloats(%x: memref<64xbf16>, %y: memref<64xbf16>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #id, #point], iterator_types = ["reduction"]} ins(%x, %y : memref<64xbf16>, memref<64xbf16>) outs(%sum : memref<f32>) {
  ^bb0(%a: bf16, %b: bf16, %acc: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %product = arith.mulf %0, %1 : f32
    %element = cpu.element %product of 0 : f32
    %next = arith.addf %acc, %element : f32
    linalg.yield %next : f32
  }
  return
}

// The sum's operands in the other order.
// CHECK-LABEL: func.func @integers
// CHECK: arith.mulf {{.*}} fastmath<contract>
// CHECK: arith.addf {{.*}} fastmath<contract>
func.func @integers(%x: memref<64xi8>, %y: memref<64xf16>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #id, #point], iterator_types = ["reduction"]} ins(%x, %y : memref<64xi8>, memref<64xf16>) outs(%sum : memref<f32>) {
  ^bb0(%a: i8, %b: f16, %acc: f32):
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.extf %b : f16 to f32
    %product = arith.mulf %0, %1 : f32
    %next = arith.addf %product, %acc : f32
    linalg.yield %next : f32
  }
  return
}

// 16 and 8 bits are just 24; 16 and 11 are not.
// CHECK-LABEL: func.func @just_as_many_bits
// CHECK: arith.mulf {{.*}} fastmath<contract>
func.func @just_as_many_bits(%x: memref<64xi16>, %y: memref<64xbf16>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #id, #point], iterator_types = ["reduction"]} ins(%x, %y : memref<64xi16>, memref<64xbf16>) outs(%sum : memref<f32>) {
  ^bb0(%a: i16, %b: bf16, %acc: f32):
    %0 = arith.uitofp %a : i16 to f32
    %1 = arith.extf %b : bf16 to f32
    %product = arith.mulf %0, %1 : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  }
  return
}

// CHECK-LABEL: func.func @one_bit_too_many
// CHECK-NOT: fastmath
func.func @one_bit_too_many(%x: memref<64xi16>, %y: memref<64xf16>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #id, #point], iterator_types = ["reduction"]} ins(%x, %y : memref<64xi16>, memref<64xf16>) outs(%sum : memref<f32>) {
  ^bb0(%a: i16, %b: f16, %acc: f32):
    %0 = arith.sitofp %a : i16 to f32
    %1 = arith.extf %b : f16 to f32
    %product = arith.mulf %0, %1 : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  }
  return
}

// Products of f32 are rounded.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: fastmath
func.func @rounded(%x: memref<64xf32>, %y: memref<64xbf16>, %sum: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #id, #point], iterator_types = ["reduction"]} ins(%x, %y : memref<64xf32>, memref<64xbf16>) outs(%sum : memref<f32>) {
  ^bb0(%a: f32, %b: bf16, %acc: f32):
    %1 = arith.extf %b : bf16 to f32
    %product = arith.mulf %a, %1 : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next : f32
  }
  return
}

// A product that is stored too stays one by itself, and so does one that no sum of the loop has.
// CHECK-LABEL: func.func @other_uses
// CHECK-NOT: fastmath
func.func @other_uses(%x: memref<64xbf16>, %sum: memref<f32>, %all: memref<64xf32>) {
  linalg.generic {indexing_maps = [#id, #point, #id], iterator_types = ["reduction"]} ins(%x : memref<64xbf16>) outs(%sum, %all : memref<f32>, memref<64xf32>) {
  ^bb0(%a: bf16, %acc: f32, %old: f32):
    %0 = arith.extf %a : bf16 to f32
    %product = arith.mulf %0, %0 : f32
    %next = arith.addf %acc, %product : f32
    linalg.yield %next, %product : f32, f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xbf16>) outs(%all : memref<64xf32>) {
  ^bb0(%a: bf16, %old: f32):
    %0 = arith.extf %a : bf16 to f32
    %product = arith.mulf %0, %0 : f32
    %next = arith.addf %old, %product : f32
    linalg.yield %next : f32
  }
  return
}

// Neither a greatest product nor a sum that does not take the accumulator.
// CHECK-LABEL: func.func @other_reductions
// CHECK-NOT: fastmath
func.func @other_reductions(%x: memref<64xbf16>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #point], iterator_types = ["reduction"]} ins(%x : memref<64xbf16>) outs(%y : memref<f32>) {
  ^bb0(%a: bf16, %acc: f32):
    %0 = arith.extf %a : bf16 to f32
    %product = arith.mulf %0, %0 : f32
    %next = arith.maximumf %acc, %product : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#id, #point], iterator_types = ["reduction"]} ins(%x : memref<64xbf16>) outs(%y : memref<f32>) {
  ^bb0(%a: bf16, %acc: f32):
    %0 = arith.extf %a : bf16 to f32
    %product = arith.mulf %0, %0 : f32
    %next = arith.addf %0, %product : f32
    linalg.yield %next : f32
  }
  return
}
