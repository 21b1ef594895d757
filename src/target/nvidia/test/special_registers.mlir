// A kernel is an entry with its block size; arithmetic is as written, so nothing is contracted that does not say so.
// RUN: tilewright compile %s --target=nvidia:sm_80 --emit=ptx | FileCheck %s
// RUN: tilewright compile %s --target=sm_90 --emit=ptx | FileCheck %s --check-prefix=HOPPER

// CHECK: .version 7.8
// CHECK: .target sm_80
// HOPPER: .version 8.6
// HOPPER: .target sm_90a
// CHECK: .visible .entry scale(
// CHECK: .reqntid 128
// CHECK-DAG: %tid.x
// CHECK-DAG: %ctaid.x
// CHECK: mul.rn.f32
// CHECK: add.rn.f32
// CHECK: fma.rn.f32
// CHECK: div.rn.f32
// CHECK: sqrt.rn.f32
// CHECK: st.global.b32
llvm.func @scale(%pointer: !llvm.ptr<1>, %factor: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>} {
  %thread = nvvm.read.ptx.sreg.tid.x : i32
  %block = nvvm.read.ptx.sreg.ctaid.x : i32
  %size = llvm.mlir.constant(128 : i32) : i32
  %first = llvm.mul %block, %size : i32
  %index = llvm.add %first, %thread : i32
  %address = llvm.getelementptr %pointer[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %x = llvm.load %address : !llvm.ptr<1> -> f32
  %product = llvm.fmul %x, %factor : f32
  %sum = llvm.fadd %product, %factor : f32
  %contracted = llvm.fmul %sum, %factor {fastmathFlags = #llvm.fastmath<contract>} : f32
  %both = llvm.fadd %contracted, %x {fastmathFlags = #llvm.fastmath<contract>} : f32
  %quotient = llvm.fdiv %both, %factor : f32
  %root = llvm.intr.sqrt(%quotient) : (f32) -> f32
  llvm.store %root, %address : f32, !llvm.ptr<1>
  llvm.return
}
