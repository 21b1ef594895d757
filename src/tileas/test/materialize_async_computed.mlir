// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operand that threads compute from a loaded tile: the producer stages the tile as it is in memory.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas),canonicalize,cse,func.func(tileas-materialize-async))' | FileCheck %s

// CHECK-LABEL: func.func @dequantized
// CHECK-DAG: %[[B:.+]] = tileas.create_pipeline of {{.*}} x[<64x128xbf16
// CHECK-DAG: %[[WEIGHTS:.+]] = tileas.create_pipeline of {{.*}} x[<128x64xi8
// CHECK: scf.for
// CHECK: tileas.consumer_wait %[[WEIGHTS]]
// CHECK: %[[STAGE:.+]] = tileas.consumer_read %[[WEIGHTS]][0]
// CHECK-NEXT: %[[TILE:.+]] = tileas.read %[[STAGE]] : <128x64xi8, {{.*}}> -> tensor<128x64xi8, #[[OPERAND:.+]]>
// CHECK-NEXT: tileas.consumer_release %[[WEIGHTS]]
// CHECK: %[[FLOATS:.+]] = tileaa.convert %[[TILE]] : tensor<128x64xi8, #[[OPERAND]]> as i8 to tensor<128x64xbf16, #[[OPERAND]]>
// CHECK: tileas.mma {{.*}} %[[FLOATS]],
// CHECK: tileas.consumer_release %[[B]]
func.func @dequantized(%w: i64, %n: i32, %x: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pw = tileaa.assume_div_by %w, 16 : i64
  %px = tileaa.assume_div_by %x, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %vw = tileaa.make_view %pw, shape[%d, %d], strides[%d] : <[?, ?], i8, strides = [?, 1]>
  %vx = tileaa.make_view %px, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %tw, %t0 = tileaa.load_view %vw[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], i8, strides = [?, 1]> -> tensor<128x64xi8>
    %tx, %t1 = tileaa.load_view %vx[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
    %f = tileaa.convert %tw : tensor<128x64xi8> as i8 to tensor<128x64xbf16> as bf16
    %s = tileaa.mma %f, %tx, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// The right operand is computed: the product is transposed, so that it is the left one and stays in registers.
// CHECK-LABEL: func.func @dequantized_right
// CHECK: scf.for
// CHECK: %[[TILE:.+]] = tileas.read {{.*}} -> tensor<64x128xi8
// CHECK: %[[FLOATS:.+]] = tileaa.convert %{{.*}} : tensor<128x64xi8, {{.*}}> as i8 to tensor<128x64xbf16
// CHECK-NOT: tileas.write
// CHECK: tileas.mma {{.*}} %[[FLOATS]], {{.*}} : tensor<128x64xbf16, {{.*}}>, !tileas.buffer<64x64xbf16, {{.*}}>, tensor<128x64xf32

func.func @dequantized_right(%w: i64, %n: i32, %x: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %t = tileaa.make_token
  %pw = tileaa.assume_div_by %w, 16 : i64
  %px = tileaa.assume_div_by %x, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %vw = tileaa.make_view %pw, shape[%d, %d], strides[%d] : <[?, ?], i8, strides = [?, 1]>
  %vx = tileaa.make_view %px, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %tw, %t0 = tileaa.load_view %vw[%c0, %i] after %t dims [1, 0] padding zero : <[?, ?], i8, strides = [?, 1]> -> tensor<64x128xi8>
    %tx, %t1 = tileaa.load_view %vx[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %f = tileaa.convert %tw : tensor<64x128xi8> as i8 to tensor<64x128xbf16> as bf16
    %s = tileaa.mma %tx, %f, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    scf.yield %s : tensor<64x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// The threads work on the sums in each iteration: the product is left as it is.
// CHECK-LABEL: func.func @scaled_sums
// CHECK: scf.for
// CHECK: tileas.write {{.*}} tensor<64x128xbf16
// CHECK: tileas.mma {{.*}} : !tileas.buffer<64x64xbf16, {{.*}}>, !tileas.buffer<64x128xbf16
func.func @scaled_sums(%w: i64, %n: i32, %x: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %half = arith.constant dense<0.5> : tensor<64x128xf32>
  %t = tileaa.make_token
  %pw = tileaa.assume_div_by %w, 16 : i64
  %px = tileaa.assume_div_by %x, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %vw = tileaa.make_view %pw, shape[%d, %d], strides[%d] : <[?, ?], i8, strides = [?, 1]>
  %vx = tileaa.make_view %px, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) {
    %tw, %t0 = tileaa.load_view %vw[%c0, %i] after %t dims [1, 0] padding zero : <[?, ?], i8, strides = [?, 1]> -> tensor<64x128xi8>
    %tx, %t1 = tileaa.load_view %vx[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x64xbf16>
    %f = tileaa.convert %tw : tensor<64x128xi8> as i8 to tensor<64x128xbf16> as bf16
    %s = tileaa.mma %tx, %f, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
    %h = arith.mulf %s, %half : tensor<64x128xf32>
    scf.yield %h : tensor<64x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<64x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// The array has rows of an odd length, of which there is no tensor map: threads load it, the producer the other.
// CHECK-LABEL: func.func @odd_rows
// CHECK: scf.for
// CHECK: tileaa.load_view {{.*}} i8
// CHECK: tileas.consumer_wait
// CHECK: tileas.mma
func.func @odd_rows(%w: i64, %n: i32, %m: i32, %x: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %t = tileaa.make_token
  %pw = tileaa.assume_div_by %w, 16 : i64
  %px = tileaa.assume_div_by %x, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %odd = arith.index_cast %m : i32 to index
  %vw = tileaa.make_view %pw, shape[%d, %odd], strides[%odd] : <[?, ?], i8, strides = [?, 1]>
  %vx = tileaa.make_view %px, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %c, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
    %tw, %t0 = tileaa.load_view %vw[%c0, %i] after %t dims [0, 1] padding zero : <[?, ?], i8, strides = [?, 1]> -> tensor<128x64xi8>
    %tx, %t1 = tileaa.load_view %vx[%i, %c0] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
    %f = tileaa.convert %tw : tensor<128x64xi8> as i8 to tensor<128x64xbf16> as bf16
    %s = tileaa.mma %f, %tx, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %u = tileaa.store_view %r, %vc[%c0, %c0] after %t dims [0, 1] : tensor<128x128xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
