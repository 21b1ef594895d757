// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tf32 on sm_90: the tensor memory accelerator rounds what it brings.
// RUN: tilewright-opt %s --split-input-file --tilewright-tileas=arch=sm_90 --verify-each | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK-SAME: element = tf32
// CHECK-SAME: element = tf32
// CHECK: tileas.agents
// CHECK-NOT: tileaa.convert
// CHECK: tileas.mma <wgmma m64n128k8> {{.*}} : !tileas.buffer<128x32xf32, #{{.*}}>, !tileas.buffer<32x128xf32
func.func @columns(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c128 : index
  %k = arith.muli %iy, %c128 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %la, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<128x32xf32>
    %lb, %t1 = tileaa.load_view %vb[%k, %i] after %t dims [1, 0] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<32x128xf32>
    %ta = tileaa.convert %la : tensor<128x32xf32> as f32 to tensor<128x32xf32> as tf32
    %tb = tileaa.convert %lb : tensor<32x128xf32> as f32 to tensor<32x128xf32> as tf32
    %s = tileaa.mma %ta, %tb, %acc {format = tf32} : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// With B row-major the product is transposed: B is the left operand, which threads take out of the stage into the
// registers that wgmma reads, and have read when the stage is released.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: element = tf32
// CHECK-SAME: element = tf32
// CHECK: tileas.agents
// CHECK: %[[PB:.*]] = tileas.consumer_read %[[B:[0-9]+]][0] : {{.*}} -> <32x128xf32
// CHECK-NEXT: %[[T:.*]] = tileas.read %[[PB]]
// CHECK-NEXT: tileas.consumer_release %[[B]]
// CHECK: %[[L:.*]] = tileaa.permute %[[T]] by [1, 0]
// CHECK-NOT: tileaa.convert
// CHECK: %[[PA:.*]] = tileas.consumer_read {{.*}} -> <32x128xf32
// CHECK: tileas.mma <wgmma m64n128k8> %[[L]], %[[PA]]
// Sums are stored as they are held.
// CHECK-NOT: tileas.convert_layout
// CHECK: tileaa.store_view
func.func @rows(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c128 : index
  %k = arith.muli %iy, %c128 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %la, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<128x32xf32>
    %lb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<32x128xf32>
    %ta = tileaa.convert %la : tensor<128x32xf32> as f32 to tensor<128x32xf32> as tf32
    %tb = tileaa.convert %lb : tensor<32x128xf32> as f32 to tensor<32x128xf32> as tf32
    %s = tileaa.mma %ta, %tb, %acc {format = tf32} : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Both lie across: neither can be the right operand.
// CHECK-LABEL: func.func @both_across
// CHECK-NOT: tileas.agents
// CHECK: tileas.mma <mma_sync m16n8k8>
func.func @both_across(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c128 : index
  %k = arith.muli %iy, %c128 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %la, %t0 = tileaa.load_view %va[%i, %m] after %t dims [1, 0] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<128x32xf32>
    %lb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], f32, strides = [?, 1]> -> tensor<32x128xf32>
    %ta = tileaa.convert %la : tensor<128x32xf32> as f32 to tensor<128x32xf32> as tf32
    %tb = tileaa.convert %lb : tensor<32x128xf32> as f32 to tensor<32x128xf32> as tf32
    %s = tileaa.mma %ta, %tb, %acc {format = tf32} : tensor<128x32xf32>, tensor<32x128xf32>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
