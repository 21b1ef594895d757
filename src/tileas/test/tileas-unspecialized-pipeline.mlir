// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_80},func.func(tileas-plan-cta,tileaa-to-tileas),canonicalize,cse,func.func(tileas-unspecialized-pipeline,tileas-allocate-shared,tileas-insert-barriers))' | FileCheck %s
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas),canonicalize,cse,func.func(tileas-unspecialized-pipeline,tileas-allocate-shared,tileas-insert-barriers))' | FileCheck %s --check-prefix=HOPPER

// Copies of three iterations are on their way before the first product. The product reads its fragments from the stage,
// which is no longer read when it is filled again: one wait in the loop is all it takes.
// CHECK-LABEL: func.func @gemm
// CHECK-SAME: shared_bytes = 32832>
// CHECK: %[[P:.*]] = tileas.create_pipeline of 0 at 0 : <4 x[<64x32xbf16, #[[A:.*]]>, <32x64xbf16, #[[B:.*]]>]>
// CHECK: %[[C0:.*]] = arith.cmpi ugt, %[[TRIPS:.*]], %{{.*}} : index
// CHECK: tileas.async_load %[[VA:.*]][%{{.*}}, %{{.*}}] after %{{.*}} dims [0, 1] into %[[P]][%{{.*}}, 0] if %[[C0]] by
// CHECK: tileas.async_load %[[VB:.*]][%{{.*}}, %{{.*}}] after %{{.*}} dims [0, 1] into %[[P]][%{{.*}}, 1] if %[[C0]] by
// CHECK: tileas.async_commit
// CHECK: tileas.async_commit
// CHECK: tileas.async_commit
// CHECK-NOT: tileas.barrier
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[NOW:.*]] = %c0{{.*}}, %[[NEXT:.*]] = %c3{{.*}}, %[[LEFT:.*]] = %[[TRIPS]])
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %{{.*}} : index
// CHECK-NEXT: tileas.async_wait %[[P]], 2
// CHECK-NEXT: tileas.async_load %[[VA]][%{{.*}}, %[[AHEAD]]] after %{{.*}} dims [0, 1] into %[[P]][%[[NEXT]], 0] if %[[MORE]]
// CHECK-NEXT: tileas.async_load %[[VB]][%[[AHEAD]], %{{.*}}] after %{{.*}} dims [0, 1] into %[[P]][%[[NEXT]], 1] if %[[MORE]]
// CHECK-NEXT: tileas.async_commit
// CHECK-NOT: tileaa.load_view
// CHECK: %[[X:.*]] = tileas.stage %[[P]][%[[NOW]], 0]
// CHECK: %[[Y:.*]] = tileas.stage %[[P]][%[[NOW]], 1]
// CHECK-NOT: tileas.barrier
// CHECK: tileas.mma <mma_sync m16n8k16> %[[X]], %[[Y]], %[[ACC]]
// CHECK-NOT: tileas.barrier
// CHECK: scf.yield

// Warpgroups multiply out of the stages themselves. A product runs on while the next tiles are copied and the next
// product is started; sums are looked at when it has ended.
// HOPPER-LABEL: func.func @gemm
// HOPPER: %[[P:.*]] = tileas.create_pipeline of 0 at 0 : <4 x
// HOPPER: scf.if
// HOPPER: %[[L:.*]]:4 = scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = %{{[^=]*}}, %[[NOW:[^ ]*]] = %{{[^=]*}}, %[[NEXT:[^ ]*]] = %c2
// HOPPER: tileas.async_wait %[[P]], 1 products 1
// HOPPER: %[[X:.*]] = tileas.stage %[[P]][%[[NOW]], 0]
// HOPPER: %[[Y:.*]] = tileas.stage %[[P]][%[[NOW]], 1]
// HOPPER: tileas.mma <wgmma m64n64k16> %[[X]], %[[Y]], %[[ACC]] {running}
// HOPPER-NEXT: tileas.async_load {{.*}} into %[[P]][%[[NEXT]], 0]
// HOPPER-NEXT: tileas.async_load {{.*}} into %[[P]][%[[NEXT]], 1]
// HOPPER-NEXT: tileas.async_commit
// HOPPER: %[[SUM:.*]] = tileas.mma_wait %[[L]]#0
// HOPPER-NEXT: scf.yield %[[SUM]]
func.func @gemm(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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

// -----

// A loop that runs again and again: before its first stages are filled, all have read its last ones.
// CHECK-LABEL: func.func @again
// CHECK: scf.for
// CHECK: tileas.barrier
// CHECK: tileas.create_pipeline of 0
// CHECK: tileas.async_load
// CHECK: scf.for
// CHECK: tileas.async_wait
func.func @again(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
  scf.for %j = %c0 to %d step %c64 {
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    %u = tileaa.store_view %r, %vc[%j, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  }
  return
}

// -----

// Where a load is may be carried from iteration to iteration: the copies' places are carried besides.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%{{[^=]*}} = %{{[^=]*}}, %[[AT:[^ ]*]] = %c0{{[^=]*}} = {{[^=]*}} = {{[^=]*}} = {{[^=]*}}, %[[THERE:[^ ]*]] = %
// CHECK: arith.addi %[[THERE]], %[[STEP:[^ ]*]]
// CHECK: %[[K:.*]] = arith.muli %[[THERE]], %c32
// CHECK: tileas.async_load %{{.*}}[%{{.*}}, %[[K]]]
// CHECK: arith.addi %[[AT]], %[[STEP]]
func.func @carried(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
  %step = arith.index_cast %z : i32 to index
  %r:2 = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero, %count = %c0) -> (tensor<64x64xf32>, index) {
    %at = arith.muli %count, %c32 : index
    %ta, %t0 = tileaa.load_view %va[%m, %at] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%at, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    %next = arith.addi %count, %step : index
    scf.yield %s, %next : tensor<64x64xf32>, index
  }
  %u = tileaa.store_view %r#0, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// What else is done with a tile reads it from the stage.
// CHECK-LABEL: func.func @used_besides
// CHECK: %[[S:.*]] = tileas.stage
// CHECK: %[[R:.*]] = tileas.read %[[S]]
// CHECK: arith.addf %{{.*}}, %[[R]]
func.func @used_besides(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
  %none = arith.constant dense<0.0> : tensor<64x32xbf16>
  %r:2 = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero, %sum = %none) -> (tensor<64x64xf32>, tensor<64x32xbf16>) {
    %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    %next = arith.addf %sum, %ta : tensor<64x32xbf16>
    scf.yield %s, %next : tensor<64x64xf32>, tensor<64x32xbf16>
  }
  %u = tileaa.store_view %r#0, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  %w = tileaa.store_view %r#1, %va[%m, %k] after %t dims [0, 1] : tensor<64x32xbf16>, <[?, ?], bf16, strides = [?, 1]>
  return
}

// -----

// Without products nothing is prefetched.
// CHECK-LABEL: func.func @no_product
// CHECK-NOT: async
// CHECK: return
func.func @no_product(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
  %none = arith.constant dense<0.0> : tensor<64x32xbf16>
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%sum = %none) -> (tensor<64x32xbf16>) {
    %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %next = arith.addf %sum, %ta : tensor<64x32xbf16>
    scf.yield %next : tensor<64x32xbf16>
  }
  %w = tileaa.store_view %r, %va[%m, %k] after %t dims [0, 1] : tensor<64x32xbf16>, <[?, ?], bf16, strides = [?, 1]>
  return
}

// -----

// Copies that are cut off at the array's end leave zeros, nothing else.
// CHECK-LABEL: func.func @padded
// CHECK-COUNT-1: tileaa.load_view
// CHECK-NOT: tileaa.load_view
func.func @padded(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
    // expected-remark@+1 {{is not prefetched: copies pad with zeros only}}
    %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding neg_zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// A load that has to see what the iteration before it stored.
// CHECK-LABEL: func.func @written
// CHECK: scf.for
// CHECK: tileaa.load_view %{{.*}}[%{{.*}}, %{{.*}}] after %{{.*}}
func.func @written(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
  %r:2 = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero, %tok = %t) -> (tensor<64x64xf32>, !tileaa.token) {
    // expected-remark@+1 {{is not prefetched: it depends on a write of the loop}}
    %ta, %t0 = tileaa.load_view %va[%m, %i] after %tok dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    %w = tileaa.store_view %ta, %va[%m, %i] after %t0 dims [0, 1] : tensor<64x32xbf16>, <[?, ?], bf16, strides = [?, 1]>
    scf.yield %s, %w : tensor<64x64xf32>, !tileaa.token
  }
  %u = tileaa.store_view %r#0, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// Two bytes that are aligned are too few for a copy: the next tile waits in registers while this one is multiplied, and is
// written to the other stage then. One wait is all it takes here, too, behind the load.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[P:.*]] = tileas.create_pipeline of 0 at 0 : <2 x
// CHECK: scf.if
// CHECK: %[[FIRST:.*]], %{{.*}} = tileaa.load_view
// CHECK: tileas.write %[[FIRST]], %{{.*}}
// CHECK: scf.for {{.*}} iter_args(%{{[^=]*}} = %{{[^=]*}}, %[[NOW:[^ ]*]] = %{{[^=]*}}, %[[NEXT:[^ ]*]] = %
// CHECK: %[[MORE:.*]] = arith.cmpi ugt
// CHECK: %[[K:.*]] = arith.select %[[MORE]], %{{.*}}, %{{.*}} : index
// CHECK: %[[T:.*]], %{{.*}} = tileaa.load_view %{{.*}}[%{{.*}}, %[[K]]]
// CHECK: tileas.async_wait %[[P]], 0
// CHECK: tileas.async_load {{.*}} into %[[P]][%[[NEXT]], 1] if %[[MORE]]
// CHECK-NOT: tileas.barrier
// CHECK: tileas.mma
// CHECK-NOT: tileas.barrier
// CHECK: %[[S:.*]] = tileas.stage %[[P]][%[[NEXT]], 0]
// CHECK-NEXT: tileas.write %[[T]], %[[S]]
// CHECK-NEXT: scf.yield
func.func @narrow(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %a, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
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

// -----

// What is computed from a tile, element by element, is computed where it is multiplied: nothing is exchanged.
// CHECK-LABEL: func.func @converted
// CHECK: %[[S:.*]] = tileas.stage
// CHECK: %[[R:.*]] = tileas.read %[[S]]
// CHECK: %[[N:.*]] = arith.negf %[[R]]
// CHECK-NOT: convert_layout
// CHECK: tileas.mma <mma_sync m16n8k16> %[[N]]
func.func @converted(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
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
    %tl, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %ta = arith.negf %tl : tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// A dimension of extent one that goes is not loaded.
// CHECK-LABEL: func.func @reshaped
// CHECK: tileas.async_load %{{.*}}[%c0, %{{.*}}, %{{.*}}] after %{{.*}} dims [1, 2] into
// CHECK: tileas.mma <mma_sync m16n8k16> %
// CHECK-SAME: !tileas.buffer<64x32xbf16
func.func @reshaped(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %v3 = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[1, ?, ?], bf16, strides = [1, ?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c64 : index
  %k = arith.muli %iy, %c64 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %tl, %t0 = tileaa.load_view %v3[%c0, %m, %i] after %t dims [0, 1, 2] padding zero : <[1, ?, ?], bf16, strides = [1, ?, 1]> -> tensor<1x64x32xbf16>
    %ta = tileaa.reshape %tl : tensor<1x64x32xbf16> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// A dimension of extent one that goes, and then two that change places: the load stands for both.
// CHECK-LABEL: func.func @reshaped_and_turned
// CHECK: tileas.async_load %{{.*}}[%c0, %{{.*}}, %{{.*}}] after %{{.*}} dims [2, 1] into
// CHECK-NOT: tileaa.permute
// CHECK: tileas.mma <mma_sync m16n8k16> %
// CHECK-SAME: !tileas.buffer<64x32xbf16
func.func @reshaped_and_turned(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %v3 = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[1, ?, ?], bf16, strides = [1, ?, 1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c64 : index
  %k = arith.muli %iy, %c64 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %tl, %t0 = tileaa.load_view %v3[%c0, %i, %m] after %t dims [0, 1, 2] padding zero : <[1, ?, ?], bf16, strides = [1, ?, 1]> -> tensor<1x32x64xbf16>
    %tr = tileaa.reshape %tl : tensor<1x32x64xbf16> -> tensor<32x64xbf16>
    %ta = tileaa.permute %tr by [1, 0] : tensor<32x64xbf16> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}

// -----

// A load whose place is itself loaded.
// CHECK-LABEL: func.func @looked_up
// CHECK: scf.for
// CHECK: tileaa.load_view
func.func @looked_up(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %t = tileaa.make_token
  %pa = tileaa.assume_div_by %a, 16 : i64
  %pb = tileaa.assume_div_by %b, 16 : i64
  %pc = tileaa.assume_div_by %c, 16 : i64
  %nn = tileaa.assume_div_by %n, 16 : i32
  %d = arith.index_cast %nn : i32 to index
  %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
  %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], f32, strides = [?, 1]>
  %vi = tileaa.make_view %pc, shape[%d], strides[] : <[?], i32, strides = [1]>
  %x, %y, %z = tileaa.block_id
  %ix = arith.index_cast %x : i32 to index
  %iy = arith.index_cast %y : i32 to index
  %m = arith.muli %ix, %c64 : index
  %k = arith.muli %iy, %c64 : index
  %r = scf.for %i = %c0 to %d step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %at, %t2 = tileaa.load_view %vi[%i] after %t dims [] : <[?], i32, strides = [1]> -> i32
    %ai = arith.index_cast %at : i32 to index
    %am = arith.muli %ai, %c64 : index
    // expected-remark@+1 {{is not prefetched: its address is computed from tiles that threads exchange, or read from memory}}
    %ta, %t0 = tileaa.load_view %va[%am, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x32xbf16>
    %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<32x64xbf16>
    %s = tileaa.mma %ta, %tb, %acc : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %u = tileaa.store_view %r, %vc[%m, %k] after %t dims [0, 1] : tensor<64x64xf32>, <[?, ?], f32, strides = [?, 1]>
  return
}
