// RUN: tilewright-opt --cpu-bfloat-bits --canonicalize --cse %s | FileCheck %s

// What is loaded, chosen, carried and stored are bits.
// CHECK-LABEL: llvm.func @moves(
// CHECK-NOT: bf16
// CHECK: llvm.mlir.constant(16256 : i16) : i16
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK: llvm.br ^bb1(%{{.*}} : i16)
// CHECK: llvm.select %{{.*}} : i1, i16
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr
// CHECK-NOT: bf16
// CHECK: llvm.return
llvm.func @moves(%p: !llvm.ptr, %c: i1) {
  %x = llvm.load %p : !llvm.ptr -> bf16
  %one = llvm.mlir.constant(1.0 : bf16) : bf16
  llvm.br ^loop(%x : bf16)
^loop(%y: bf16):
  %z = llvm.select %c, %one, %y : i1, bf16
  llvm.store %z, %p : bf16, !llvm.ptr
  llvm.cond_br %c, ^loop(%z : bf16), ^done
^done:
  llvm.return
}

// What computes gets numbers, and its result is bits again; a bitcast from bits to bits is none.
// CHECK-LABEL: llvm.func @computes(
// CHECK: %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xi16>
// CHECK: %[[X:.*]] = llvm.bitcast %[[BITS]] : vector<8xi16> to vector<8xbf16>
// CHECK: %[[SUM:.*]] = llvm.fadd %[[X]], %[[X]] : vector<8xbf16>
// CHECK: %[[RESULT:.*]] = llvm.bitcast %[[SUM]] : vector<8xbf16> to vector<8xi16>
// CHECK: llvm.store %[[RESULT]], %{{.*}} : vector<8xi16>, !llvm.ptr
// CHECK-NEXT: llvm.store %[[RESULT]], %{{.*}} : vector<8xi16>, !llvm.ptr
llvm.func @computes(%p: !llvm.ptr, %q: !llvm.ptr) {
  %x = llvm.load %p : !llvm.ptr -> vector<8xbf16>
  %sum = llvm.fadd %x, %x : vector<8xbf16>
  llvm.store %sum, %q : vector<8xbf16>, !llvm.ptr
  %i = llvm.bitcast %sum : vector<8xbf16> to vector<8xi16>
  llvm.store %i, %p : vector<8xi16>, !llvm.ptr
  llvm.return
}
