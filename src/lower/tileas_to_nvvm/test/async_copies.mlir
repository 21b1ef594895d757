// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product whose operands are copied ahead by the threads that multiply, as PTX.
// RUN: tilewright compile %s --target=nvidia:sm_80 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_86 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_89 --emit=ptx -o - | FileCheck %s
// RUN: tilewright compile %s --target=nvidia:sm_120 --emit=ptx -o - | FileCheck %s

// The left operand's rows are aligned to 16 bytes, the right one's to 8. Outside of the array nothing is read.
// CHECK-LABEL: .entry gemm
// CHECK-NOT: .local
// CHECK: @%p{{[0-9]+}} cp.async.cg.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r
// CHECK: @%p{{[0-9]+}} cp.async.ca.shared.global [%r{{[0-9]+}}], [%rd{{[0-9]+}}], 8, %r
// CHECK: cp.async.commit_group
// CHECK: cp.async.commit_group
// CHECK: cp.async.commit_group
// CHECK: cp.async.wait_group {{.*}}2;
// CHECK-NEXT: bar.sync
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.ca.shared.global
// CHECK: cp.async.commit_group
// Fragments come from the stage as they are multiplied, the right one's rows as columns; nothing is put into words.
// CHECK-NOT: ld.global
// CHECK-NOT: st.shared
// CHECK-NOT: bar.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: mov.b32 {{.*}}{%rs
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-NOT: mov.b32 {{.*}}{%rs
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: bar.sync
// CHECK: bra

module {
  func.func @gemm(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : tensor<64x64xf32>
    %t = tileaa.make_token
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 8 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
    %x, %y, %z = tileaa.block_id
    %ix = arith.index_cast %x : i32 to index
    %iy = arith.index_cast %y : i32 to index
    %m = arith.muli %ix, %c64 : index
    %k = arith.muli %iy, %c64 : index
    %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
    return
  }
}
