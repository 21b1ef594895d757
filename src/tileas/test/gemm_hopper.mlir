// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix product as its author writes it becomes a producer and two warpgroups of consumers, for one block of the grid
// after another.
// RUN: tilewright-opt %s --tilewright-tileas=arch=sm_90 --tilewright-final=arch=sm_90 --verify-each | FileCheck %s --check-prefix=TILEAS
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// Where the launcher knows nothing of that, the kernel describes its arrays and shares out the grid by itself.
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PORTABLE
// What has no wgmma keeps its loads.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_80},func.func(tileas-plan-cta,tileaa-to-tileas,tileas-materialize-async))' | FileCheck %s --check-prefix=OLDER

// TILEAS: func.func @gemm({{.*}}%[[C:[a-z0-9]+]]: !tileas.tma_desc, %[[A:[a-z0-9]+]]: !tileas.tma_desc, %[[B:[a-z0-9]+]]: !tileas.tma_desc)
// TILEAS-SAME: tileas.cta = #tileas.cta<warps = 8, threads = 384, shared_bytes = 230400, blocks_per_sm = 1>
// TILEAS-SAME: tileas.tma_descs = [#tileas.tma_desc<base = arg 3, shape = [arg 1, arg 1], strides = [arg 1, 1], box = [128, 64], element = bf16, swizzle = 128>, #tileas.tma_desc<base = arg 0, {{.*}}box = [128, 64], {{.*}}>, #tileas.tma_desc<base = arg 2, {{.*}}box = [64, 64]
// TILEAS: %[[P:.*]] = tileas.create_pipeline of 2 at 0 : <4 x
// TILEAS: tileas.agents warps = [8, 4], registers = [240, 24] {
// TILEAS-NEXT: %[[START:.*]] = tileas.consumer_start %[[P]]
// TILEAS:   %[[O:.*]] = tileas.alloc at 197632
// TILEAS:   %[[U:.*]] = tileas.alloc at 214016
// TILEAS:   scf.for {{.*}} iter_args(%[[OUTER:.*]] = %[[START]])
// TILEAS:   scf.for {{.*}}, %[[STATE:.*]] = %[[OUTER]]) -> ({{.*}}, !tileas.pipeline_state)
// TILEAS:     tileas.consumer_wait %[[P]] at %[[STATE]]
// TILEAS:     %[[X:.*]] = tileas.consumer_read %[[P]][0]
// TILEAS:     %[[Y:.*]] = tileas.consumer_read %[[P]][1]
// TILEAS:     tileas.mma <wgmma m64n256k16> %[[X]], %[[Y]]
// TILEAS-NEXT: %[[NEXT:.*]] = tileas.consumer_release %[[P]] at %[[STATE]]
// TILEAS-NEXT: scf.yield %{{.*}}, %[[NEXT]]
// Two buffers in turn; one part is copied while the next is written.
// TILEAS:   tileas.tma_store_wait %[[O]], %[[U]] but 1
// TILEAS:   tileas.barrier
// TILEAS-NEXT: tileas.write %{{.*}}, %[[O]]
// TILEAS-NEXT: tileas.barrier
// TILEAS-NEXT: tileas.tma_store %[[O]], %[[C]][{{.*}}] split 1 by 1
// TILEAS-NEXT: tileas.tma_store_wait %[[O]], %[[U]] but 1
// TILEAS:   tileas.barrier
// TILEAS-NEXT: tileas.write %{{.*}}, %[[U]]
// TILEAS-NEXT: tileas.barrier
// TILEAS-NEXT: tileas.tma_store %[[U]]
// TILEAS:   tileas.tma_store %[[O]]
// TILEAS:   tileas.tma_store %[[U]]
// TILEAS-NEXT: scf.yield %{{.*}} : !tileas.pipeline_state
// TILEAS-NEXT: }
// TILEAS-NEXT: tileas.tma_store_wait %[[O]], %[[U]] but 0
// TILEAS: }, {
// TILEAS:   scf.for
// TILEAS:   scf.for
// TILEAS-NOT: tileaa
// TILEAS:     tileas.producer_acquire %[[P]]
// TILEAS-NEXT: tileas.tma_load %[[A]][{{.*}}] into %[[P]][0] split 1 by 1
// TILEAS-NEXT: tileas.tma_load %[[B]][{{.*}}] into %[[P]][1] split 1 by 4
// TILEAS-NEXT: %{{.*}} = tileas.producer_commit %[[P]] at

// PTX: .reqntid 384
// PTX: .minnctapersm 1
// PTX-DAG: setmaxnreg.dec.sync.aligned.u32 24
// PTX-DAG: setmaxnreg.inc.sync.aligned.u32 240
// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX-DAG: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// PTX-DAG: mbarrier.try_wait.parity
// PTX-DAG: stmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-DAG: cp.async.bulk.tensor.2d.global.shared::cta

// PORTABLE: .global .align 128 .b8 tilewright_tensor_maps[131072];
// PORTABLE: .global .align 128 .b8 tilewright_own_tensor_maps[1048576];
// PORTABLE: .entry gemm(
// PORTABLE-NOT: .param .align
// PORTABLE: %nsmid
// PORTABLE: exit;
// Three maps, each by a warp: the array of the results, then those of the operands. Another CTA may have written it.
// PORTABLE: ld.relaxed.gpu.global.b64
// PORTABLE: ld.acquire.gpu.global.b32
// PORTABLE: vote.sync.all.pred
// If not, field by field, at its place in the table or one of the CTA's own.
// PORTABLE: atom.acquire.gpu.global.cas.b32
// PORTABLE: mov.u32 {{.*}}, %warpid;
// PORTABLE: atom.acquire.gpu.global.cas.b32
// PORTABLE: tensormap.replace.tile.global_address.shared::cta.b1024.b64 [[MAP:\[%r[0-9]+\]]],
// PORTABLE: tensormap.replace.tile.rank.shared::cta.b1024.b32 [[MAP]], 1;
// PORTABLE: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [[MAP]], 0,
// PORTABLE: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [[MAP]], 0,
// PORTABLE: tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [[MAP]], 0,
// PORTABLE: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [[MAP]], 1,
// PORTABLE: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [[MAP]], 0,
// PORTABLE: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [[MAP]], 10;
// PORTABLE: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [[MAP]], 3;
// PORTABLE: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// PORTABLE: st.relaxed.gpu.global.b64
// PORTABLE: st.release.gpu.global.b32
// PORTABLE-COUNT-2: tensormap.cp_fenceproxy
// PORTABLE: bar.sync 0
// PORTABLE-COUNT-3: fence.proxy.tensormap::generic.acquire.gpu
// No barrier in the loop.
// PORTABLE: wgmma.fence.sync.aligned
// PORTABLE-NOT: bar.sync
// PORTABLE: wgmma.wait_group
// PORTABLE-NOT: bar.sync
// PORTABLE: mbarrier.arrive
// PORTABLE: cp.async.bulk.tensor.2d.global.shared::cta
// PORTABLE: st.release.gpu.global.b32

// OLDER-NOT: tileas.agents
// OLDER: tileaa.load_view
// OLDER: tileas.mma <mma_sync m16n8k16>
module {
  func.func @gemm(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant dense<0.0> : tensor<128x256xf32>
    %c0 = arith.constant 0 : index
    %t = tileaa.make_token
    %pa = tileaa.assume_div_by %a, 16 : i64
    %pb = tileaa.assume_div_by %b, 16 : i64
    %pc = tileaa.assume_div_by %c, 16 : i64
    %nn = tileaa.assume_div_by %n, 16 : i32
    %d = arith.index_cast %nn : i32 to index
    %va = tileaa.make_view %pa, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vb = tileaa.make_view %pb, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %vc = tileaa.make_view %pc, shape[%d, %d], strides[%d] : <[?, ?], bf16, strides = [?, 1]>
    %x, %y, %z = tileaa.block_id
    %ix = arith.index_cast %x : i32 to index
    %iy = arith.index_cast %y : i32 to index
    %m = arith.muli %ix, %c128 : index
    %k = arith.muli %iy, %c256 : index
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x256xf32>) {
      %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<128x64xbf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x256xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<128x64xbf16>, tensor<64x256xbf16>, tensor<128x256xf32>
      scf.yield %s : tensor<128x256xf32>
    }
    %o = arith.truncf %r : tensor<128x256xf32> to tensor<128x256xbf16>
    %u = tileaa.store_view %o, %vc[%m, %k] after %t dims [0, 1] : tensor<128x256xbf16>, <[?, ?], bf16, strides = [?, 1]>
    return
  }
}
