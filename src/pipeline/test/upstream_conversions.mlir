// The conversions to the llvm dialect that the pipelines take from MLIR, each alone.
// RUN: tilewright-opt %s --convert-scf-to-cf | FileCheck %s --check-prefix=SCF
// RUN: tilewright-opt %s --convert-arith-to-llvm | FileCheck %s --check-prefix=ARITH
// RUN: tilewright-opt %s --convert-scf-to-cf --convert-cf-to-llvm | FileCheck %s --check-prefix=CF
// RUN: tilewright-opt %s --convert-func-to-llvm | FileCheck %s --check-prefix=FUNC
// RUN: tilewright-opt %s --convert-math-to-llvm | FileCheck %s --check-prefix=MATH
// RUN: tilewright-opt %s --convert-nvvm-to-llvm | FileCheck %s --check-prefix=NVVM
// RUN: tilewright-opt %s --convert-ub-to-llvm | FileCheck %s --check-prefix=UB
// RUN: tilewright-opt %s --convert-vector-to-llvm | FileCheck %s --check-prefix=VECTOR
// RUN: tilewright-opt %s --canonicalize | FileCheck %s --check-prefix=DEAD

// Loops become branches between blocks.
// SCF-LABEL: func.func @scf
// SCF-NOT: scf.for
// SCF: cf.cond_br
func.func @scf(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (f32) {
    %t = arith.addf %s, %s : f32
    scf.yield %t : f32
  }
  return %r : f32
}

// ARITH-LABEL: func.func @arith
// ARITH: llvm.fadd %{{.*}}, %{{.*}} : f32
func.func @arith(%x: f32, %y: f32) -> f32 {
  %z = arith.addf %x, %y : f32
  return %z : f32
}

// CF-LABEL: func.func @cf
// CF: llvm.cond_br
func.func @cf(%c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %z = arith.addf %x, %y : f32
    scf.yield %z : f32
  } else {
    scf.yield %y : f32
  }
  return %r : f32
}

// FUNC-LABEL: llvm.func @function(
// FUNC: llvm.call @function
// FUNC: llvm.return
func.func @function(%x: i32) -> i32 {
  %y = func.call @function(%x) : (i32) -> i32
  return %y : i32
}

// MATH-LABEL: func.func @math
// MATH: llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
func.func @math(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  return %y : f32
}

// An operation without an intrinsic of LLVM's is written out as PTX.
// NVVM-LABEL: llvm.func @nvvm
// NVVM: llvm.inline_asm {{.*}}mbarrier.try_wait.parity.shared.b64
llvm.func @nvvm(%barrier: !llvm.ptr<3>, %phase: i32, %ticks: i32) {
  nvvm.mbarrier.try_wait.parity %barrier, %phase, %ticks : !llvm.ptr<3>, i32, i32
  llvm.return
}

// UB-LABEL: func.func @ub
// UB: llvm.mlir.poison : f32
func.func @ub() -> f32 {
  %x = ub.poison : f32
  return %x : f32
}

// VECTOR-LABEL: func.func @vector
// VECTOR: llvm.intr.fmuladd({{.*}}) : {{.*}} -> vector<8xf32>
func.func @vector(%x: vector<8xf32>, %y: vector<8xf32>, %z: vector<8xf32>) -> vector<8xf32> {
  %r = vector.fma %x, %y, %z : vector<8xf32>
  return %r : vector<8xf32>
}

// A value that a loop hands on unchanged is carried no more.
// DEAD-LABEL: func.func @dead
// DEAD-SAME: %[[Y:[^ ]*]]: f32) -> f32
// DEAD: scf.for {{.*}} iter_args(%[[S:[^ ]*]] = %{{[^,]*}}) -> (f32)
// DEAD-NEXT: arith.addf %[[S]], %[[Y]] : f32
func.func @dead(%n: index, %x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x, %d = %y) -> (f32, f32) {
    %t = arith.addf %s, %d : f32
    scf.yield %t, %d : f32, f32
  }
  return %r#0 : f32
}
