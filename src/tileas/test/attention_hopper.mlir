// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over whole tiles of keys: the queries are loaded once, keys and values through rings of their own, which
// both loops share, and the powers go into the second product from the registers that they are computed in.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s --check-prefix=TILEAS
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=LOOP < %t.ptx
// RUN: FileCheck %s --check-prefix=BYTES < %t.ptx

// TILEAS-DAG: %[[Q:.*]] = tileas.create_pipeline of 2 : <1 x
// TILEAS-DAG: %[[K:.*]] = tileas.create_pipeline of 2 : <3 x
// TILEAS-DAG: %[[V:.*]] = tileas.create_pipeline of 2 : <3 x
// TILEAS-NOT: tileas.create_pipeline
// TILEAS: tileas.agents warps = [8, 4], registers = [240, 24] {
// TILEAS-NOT: tileas.convert_layout
// TILEAS:   tileas.consumer_wait %[[ONCE:[0-9]+]] : <1 x
// TILEAS:   %[[QUERIES:.*]] = tileas.consumer_read %[[ONCE]][0]
// TILEAS:   scf.for
// TILEAS:     tileas.consumer_wait %[[KEYS:[0-9]+]] : <3 x
// TILEAS:     %[[TILE:.*]] = tileas.consumer_read %[[KEYS]][0]
// TILEAS:     tileas.mma <wgmma m64n128k16> %[[QUERIES]], %[[TILE]], %{{.*}} {running, tileas.number = 0 : i64}
// TILEAS-NEXT: tileas.mma_wait
// TILEAS-NEXT: tileas.consumer_release %[[KEYS]]
// TILEAS:     tileas.consumer_wait %[[VALUES:[0-9]+]] : <3 x
// TILEAS:     tileas.mma <wgmma m64n128k16> %{{.*}}, %{{.*}}, %{{.*}} {running, tileas.number = 1 : i64} : tensor<128x128xbf16, #{{.*}}>, !tileas.buffer
// TILEAS-NEXT: tileas.mma_wait
// TILEAS-NEXT: tileas.consumer_release %[[VALUES]]
// TILEAS:   } {tileas.number = 0 : i64, tileas.schedule = #tileas.schedule<"start product.0, start product.1(i-1), wait product.0, work, wait product.1", cycles = {{.*}}, serial_cycles = {{.*}}>}
// TILEAS:   scf.for
// TILEAS:     tileas.consumer_wait %[[KEYS]]
// TILEAS:     tileas.consumer_wait %[[VALUES]]
// TILEAS:   tileas.consumer_release %[[ONCE]]
// TILEAS: }, {
// TILEAS:   tileas.tma_load %{{.*}} into %[[ONCE]][0]
// TILEAS:   scf.for
// TILEAS:     tileas.tma_load %{{.*}} into %[[KEYS]][0]
// TILEAS:     tileas.tma_load %{{.*}} into %[[VALUES]][0]
// TILEAS:   scf.for
// TILEAS:     tileas.tma_load %{{.*}} into %[[KEYS]][0]
// TILEAS:     tileas.tma_load %{{.*}} into %[[VALUES]][0]

// A stage of a ring that both loops fill is announced as what one of them brings.
// BYTES: mov.b32 [[QUERIES:%r[0-9]+]], 32768;
// BYTES-NEXT: mbarrier.arrive.expect_tx.{{.*}}, [[QUERIES]];
// BYTES: mov.b32 [[WHOLE:%r[0-9]+]], 32768;
// BYTES-NEXT: mbarrier.arrive.expect_tx.{{.*}}, [[WHOLE]];
// BYTES: mov.b32 [[MASKED:%r[0-9]+]], 32768;
// BYTES-NEXT: mbarrier.arrive.expect_tx.{{.*}}, [[MASKED]];

// Powers are not negative, so their sum needs no zero that makes +0 of -0.
// PTX-NOT: .local
// PTX-NOT: add.rn.f32 {{.*}}, 0f00000000
// The first product starts anew, the second one adds, four registers of powers at a time.
// PTX: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTX: ex2.approx.ftz.f32
// PTX: setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{[{].*[}]}}, {{[{]%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+[}]}}, %rd{{[0-9]+}}, p, 1, 1, 1;
// While the softmax of a tile of keys is computed, its values' product of the tile before is running: the loop starts both
// products, and waits for one of them first. The powers of the tile before are ready: one fence for all of their product.
// LOOP: wgmma.wait_group.sync.aligned 0
// LOOP: [[LOOP:\$L__BB[0-9_]+]]:
// LOOP: wgmma.mma_async
// LOOP: wgmma.commit_group
// LOOP: wgmma.fence.sync.aligned;
// LOOP-NOT: wgmma.fence
// LOOP-COUNT-8: setp.ne.b32 p, 1, 0; wgmma.mma_async
// LOOP-NOT: wgmma.fence
// LOOP: wgmma.commit_group
// LOOP-NEXT: //
// LOOP-NEXT: wgmma.wait_group.sync.aligned 1
// LOOP: ex2.approx.ftz.f32
// LOOP: wgmma.wait_group.sync.aligned 0
// LOOP: cvt.rn.bf16x2.f32
// LOOP: bra
!view = !tileaa.view<[?, ?], bf16, strides = [?, 1]>
module {
  func.func @attention(%q: i64, %k: i64, %v: i64, %o: i64, %keys: i32, %loose: i32, %scale: f32) attributes {tileaa.kernel} {
    %pq = tileaa.assume_div_by %q, 16 : i64
    %pk = tileaa.assume_div_by %k, 16 : i64
    %pv = tileaa.assume_div_by %v, 16 : i64
    %po = tileaa.assume_div_by %o, 16 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %c128 = arith.constant 128 : index
    %minus = arith.constant 0xFF800000 : f32
    %nothing = arith.constant 0.0 : f32
    %blank = arith.constant dense<0.0> : tensor<128x128xf32>
    %lowest = arith.constant dense<0xFF800000> : tensor<128x1xf32>
    %none = arith.constant dense<0.0> : tensor<128x1xf32>
    %t = tileaa.make_token
    %n = arith.index_cast %keys : i32 to index
    %vq = tileaa.make_view %pq, shape[%n, %c128], strides[%c128] : !view
    %vk = tileaa.make_view %pk, shape[%n, %c128], strides[%c128] : !view
    %vv = tileaa.make_view %pv, shape[%n, %c128], strides[%c128] : !view
    %vo = tileaa.make_view %po, shape[%n, %c128], strides[%c128] : !view
    %x, %y, %z = tileaa.block_id
    %block = arith.index_cast %x : i32 to index
    %row = arith.muli %block, %c128 : index
    %tq, %0 = tileaa.load_view %vq[%row, %c0] after %t dims [0, 1] padding zero : !view -> tensor<128x128xbf16>
    %scales = tileaa.broadcast %scale : f32 -> tensor<128x128xf32>
    %full:3 = scf.for %j = %zero to %keys step %c1 iter_args(%high = %lowest, %total = %none, %acc = %blank) -> (tensor<128x1xf32>, tensor<128x1xf32>, tensor<128x128xf32>) : i32 {
      %i = arith.index_cast %j : i32 to index
      %at = arith.muli %i, %c128 : index
      %tk, %1 = tileaa.load_view %vk[%at, %c0] after %t dims [1, 0] padding zero : !view -> tensor<128x128xbf16>
      %s = tileaa.mma %tq, %tk, %blank : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
      %m = tileaa.reduce %s from %minus along 1 {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maxnumf %a, %b : f32
        tileaa.yield %max : f32
      } : (tensor<128x128xf32>, f32) -> tensor<128xf32>
      %mr = tileaa.reshape %m : tensor<128xf32> -> tensor<128x1xf32>
      %higher = arith.maxnumf %high, %mr : tensor<128x1xf32>
      %hb = tileaa.broadcast %higher : tensor<128x1xf32> -> tensor<128x128xf32>
      %d = arith.subf %s, %hb : tensor<128x128xf32>
      %e = arith.mulf %d, %scales : tensor<128x128xf32>
      %p = tileaa.float exp2 %e flush : tensor<128x128xf32>
      %sum = tileaa.reduce %p from %nothing along 1 {
      ^bb0(%a: f32, %b: f32):
        %add = arith.addf %a, %b : f32
        tileaa.yield %add : f32
      } : (tensor<128x128xf32>, f32) -> tensor<128xf32>
      %sr = tileaa.reshape %sum : tensor<128xf32> -> tensor<128x1xf32>
      %more = arith.addf %total, %sr : tensor<128x1xf32>
      %tv, %2 = tileaa.load_view %vv[%at, %c0] after %t dims [0, 1] padding zero : !view -> tensor<128x128xbf16>
      %narrow = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %next = tileaa.mma %narrow, %tv, %acc : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
      scf.yield %higher, %more, %next : tensor<128x1xf32>, tensor<128x1xf32>, tensor<128x128xf32>
    }
    %end = arith.addi %keys, %loose : i32
    %rest = scf.for %j = %keys to %end step %c1 iter_args(%acc = %full#2) -> (tensor<128x128xf32>) : i32 {
      %i = arith.index_cast %j : i32 to index
      %at = arith.muli %i, %c128 : index
      %tk, %1 = tileaa.load_view %vk[%at, %c0] after %t dims [1, 0] padding zero : !view -> tensor<128x128xbf16>
      %s = tileaa.mma %tq, %tk, %blank : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
      %p = tileaa.float exp2 %s flush : tensor<128x128xf32>
      %tv, %2 = tileaa.load_view %vv[%at, %c0] after %t dims [0, 1] padding zero : !view -> tensor<128x128xbf16>
      %narrow = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
      %next = tileaa.mma %narrow, %tv, %acc : tensor<128x128xbf16>, tensor<128x128xbf16>, tensor<128x128xf32>
      scf.yield %next : tensor<128x128xf32>
    }
    %tb = tileaa.broadcast %full#1 : tensor<128x1xf32> -> tensor<128x128xf32>
    %quotient = arith.divf %rest, %tb : tensor<128x128xf32>
    %result = arith.truncf %quotient : tensor<128x128xf32> to tensor<128x128xbf16>
    %s = tileaa.store_view %result, %vo[%row, %c0] after %t dims [0, 1] : tensor<128x128xbf16>, !view
    return
  }
}
