// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v4 --cpu-expand-math | FileCheck %s
// RUN: tilewright-opt %s --cpu-plan=target=cpu:x86-64-v3 --cpu-expand-math | FileCheck %s --check-prefix=NARROW

// Two registers: each looks up the power of two of a sixteenth and is scaled by the whole part.
// CHECK-LABEL: func.func @natural
// CHECK-COUNT-2: "llvm.x86.avx512.vfmadd.ps.512"
// CHECK-COUNT-2: "llvm.x86.avx512.add.ps.512"
// CHECK-COUNT-2: "llvm.x86.avx512.permvar.sf.512"
// CHECK: arith.cmpf uge
// CHECK-COUNT-2: "llvm.x86.avx512.mask.scalef.ps.512"
// NARROW-LABEL: func.func @natural
// NARROW-NOT: llvm.x86
// NARROW: return
func.func @natural(%x: vector<32xf32>) -> vector<32xf32> attributes {tileaa.kernel} {
  %y = math.exp %x : vector<32xf32>
  return %y : vector<32xf32>
}

// The remainder of a base of two is exact.
// CHECK-LABEL: func.func @binary
// CHECK-COUNT-2: "llvm.x86.avx512.add.ps.512"
// CHECK: arith.subf
// CHECK: "llvm.x86.avx512.permvar.sf.512"
// CHECK: "llvm.x86.avx512.mask.scalef.ps.512"
func.func @binary(%x: vector<16xf32>) -> vector<16xf32> attributes {tileaa.kernel} {
  %y = math.exp2 %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Part of a register goes the usual way.
// CHECK-LABEL: func.func @short
// CHECK-NOT: llvm.x86
// CHECK: return
func.func @short(%x: vector<8xf32>) -> vector<8xf32> attributes {tileaa.kernel} {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}
