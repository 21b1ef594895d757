// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two numbers of 16 bits are added, multiplied or both by one instruction, of bf16 from sm_90 on.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-to-nvvm --canonicalize --cse | FileCheck %s
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --tileas-to-nvvm --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=OTHER

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64} -> 128">
!f16 = tensor<128xf16, #x>
!bf16 = tensor<128xbf16, #x>
module {
  // CHECK-LABEL: func.func @halves
  // CHECK-COUNT-2: arith.mulf {{.*}} : vector<2xf16>
  // CHECK-NOT: arith.mulf
  // CHECK-COUNT-2: math.fma {{.*}} : vector<2xf16>
  // OTHER-LABEL: func.func @halves
  // OTHER-COUNT-2: arith.mulf {{.*}} : vector<2xf16>
  func.func @halves(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %base = tileaa.broadcast %p : i64 -> tensor<128xi64, #x>
    %i = tileaa.iota : tensor<128xi64, #x>
    %size = arith.constant dense<4> : tensor<128xi64, #x>
    %place = arith.muli %i, %size : tensor<128xi64, #x>
    %address = arith.addi %base, %place : tensor<128xi64, #x>
    %v, %t = tileaa.load_ptr %address : tensor<128xi64, #x>, -> !f16
    %a = arith.mulf %v, %v : !f16
    %b = math.fma %a, %v, %v : !f16
    %t1 = tileaa.store_ptr %address, %b after %t : tensor<128xi64, #x>, !f16,
    return
  }

  // CHECK-LABEL: func.func @bfloats
  // CHECK-COUNT-2: arith.addf {{.*}} : vector<2xbf16>
  // CHECK-NOT: arith.addf
  // Divisions have no such instruction.
  // CHECK-COUNT-4: arith.divf {{.*}} : bf16
  // OTHER-LABEL: func.func @bfloats
  // OTHER-COUNT-4: arith.addf {{.*}} : bf16
  func.func @bfloats(%p: i64) attributes {tileaa.kernel, tileas.cta = #tileas.cta<warps = 1>} {
    %base = tileaa.broadcast %p : i64 -> tensor<128xi64, #x>
    %i = tileaa.iota : tensor<128xi64, #x>
    %size = arith.constant dense<4> : tensor<128xi64, #x>
    %place = arith.muli %i, %size : tensor<128xi64, #x>
    %address = arith.addi %base, %place : tensor<128xi64, #x>
    %v, %t = tileaa.load_ptr %address : tensor<128xi64, #x>, -> !bf16
    %a = arith.addf %v, %v : !bf16
    %b = arith.divf %a, %v : !bf16
    %t1 = tileaa.store_ptr %address, %b after %t : tensor<128xi64, #x>, !bf16,
    return
  }
}
