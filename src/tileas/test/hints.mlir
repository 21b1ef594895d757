// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of the hints allow_tma and latency of a load for a product, of one beside it, and of a store. The hints of
// A, B and C take the places of their names.
// RUN: sed -e 's/HINTS_A/allow_tma = true, latency = 2 : i32/; s/HINTS_B/allow_tma = true, latency = 10 : i32/; s/HINTS_C/allow_tma = true, latency = 4 : i32/' %s > %t.allowed.mlir
// RUN: tilewright compile %t.allowed.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefixes=BROUGHT,SHARED
// RUN: tilewright compile %t.allowed.mlir --target=sm_100 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefixes=BROUGHT
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %t.allowed.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefixes=BROUGHT,SHARED
// RUN: tilewright compile %t.allowed.mlir --target=sm_80 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: tilewright compile %t.allowed.mlir --target=sm_120 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=NOAGENT

// Where it is forbidden for one operand, threads copy both; the store stays with the accelerator.
// RUN: sed -e 's/HINTS_A/allow_tma = false, latency = 2 : i32/; s/HINTS_B/allow_tma = true/; s/HINTS_C/allow_tma = true/' %s > %t.one.mlir
// RUN: tilewright compile %t.one.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %t.one.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: tilewright compile %t.one.mlir --target=sm_100 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=ONE

// Where it is forbidden for the store, no map of that array is made.
// RUN: sed -e 's/HINTS_A/allow_tma = true/; s/HINTS_B/allow_tma = true/; s/HINTS_C/allow_tma = false/' %s > %t.store.mlir
// RUN: tilewright compile %t.store.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %t.store.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: env TILEIR_PREFER_TMA_FOR_LOAD_STORE=1 tilewright compile %t.store.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=STORE

// Where it is forbidden for all, nothing is left of it.
// RUN: sed -e 's/HINTS_A/allow_tma = false/; s/HINTS_B/allow_tma = false, latency = 6 : i32/; s/HINTS_C/allow_tma = false/' %s > %t.none.mlir
// RUN: tilewright compile %t.none.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=cp.async.bulk --implicit-check-not=tensormap
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable tilewright compile %t.none.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=cp.async.bulk --implicit-check-not=tensormap
// RUN: env TILEIR_PREFER_TMA_FOR_LOAD_STORE=1 tilewright compile %t.none.mlir --target=sm_100 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=cp.async.bulk --implicit-check-not=tensormap

// Where all 32 warps of a block multiply, there are none for a producer.
// RUN: sed -e 's/attributes {tileaa.kernel} {/attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {num_worker_warps_per_cta = 32 : i32}}>} {/' %t.allowed.mlir > %t.warps.mlir
// RUN: tilewright compile %t.warps.mlir --target=sm_90 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: tilewright compile %t.warps.mlir --target=sm_100 --emit=ptx -o - --remarks 2>&1 | FileCheck %s --check-prefix=WARPS

// Each pass answers what it decides and leaves the rest.
// RUN: tilewright-opt %t.allowed.mlir --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas,tileas-store-by-tma))' --remark-format=emitRemark --remarks-filter=Hints 2>&1 | FileCheck %s --check-prefix=STORES
// RUN: tilewright-opt %t.allowed.mlir --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_90},func.func(tileas-plan-cta,tileaa-to-tileas,tileas-materialize-async))' --remark-format=emitRemark --remarks-filter=Hints 2>&1 | FileCheck %s --check-prefix=LOADS
// RUN: tilewright-opt %t.one.mlir --pass-pipeline='builtin.module(tileas-attach-target{arch=sm_80},func.func(tileas-plan-cta,tileaa-to-tileas,tileas-unspecialized-pipeline))' --remark-format=emitRemark --remarks-filter=Hints 2>&1 | FileCheck %s --check-prefix=COPIES

// BROUGHT-DAG: remark[passed]: allow_tma = true of the load at {{.*}}:[[#A:]]: followed: the tensor memory accelerator loads the tile
// BROUGHT-DAG: remark[passed]: latency = 2 of the load at {{.*}}: followed: the tile is loaded {{[0-9]}} iterations ahead
// BROUGHT-DAG: remark[passed]: allow_tma = true of the load at {{.*}}:[[#A+1]]: followed: the tensor memory accelerator loads the tile
// SHARED-DAG: remark[missed]: latency = 10 of the load at {{.*}}:[[#A+1]]: not followed: shared memory has room for loading {{[0-9]}} iterations ahead
// BROUGHT-DAG: remark[missed]: latency = 4 of the store at {{.*}}: not followed: no operation waits for a store
// BROUGHT-DAG: remark[passed]: allow_tma = true of the store at {{.*}}: followed: the tensor memory accelerator stores the tile
// BROUGHT-DAG: cp.async.bulk.tensor.2d.shared::cluster.global

// OLDER-DAG: allow_tma = true of the load at {{.*}}: not followed: the architecture has no tensor memory accelerator
// OLDER-DAG: latency = 2 of the load at {{.*}}: followed: the tile is loaded [[#AHEAD:]] iterations ahead
// OLDER-DAG: latency = 10 of the load at {{.*}}: not followed: shared memory has room for loading [[#AHEAD]] iterations ahead
// OLDER-DAG: allow_tma = true of the store at {{.*}}: not followed: the architecture has no tensor memory accelerator

// NOAGENT-DAG: allow_tma = true of the load at {{.*}}: not followed: it loads tiles for products by wgmma and tcgen05 only
// NOAGENT-DAG: allow_tma = true of the store at {{.*}}: followed: the tensor memory accelerator stores the tile

// ONE-DAG: remark[passed]: allow_tma = false of the load at {{.*}}:[[#A:]]: followed: threads make it
// ONE-DAG: remark[passed]: latency = 2 of the load at {{.*}}:[[#A]]: followed: the tile is loaded {{[2-9]}} iterations ahead
// ONE-DAG: remark[missed]: allow_tma = true of the load at {{.*}}:[[#A+1]]: not followed: threads load all tiles of a loop, as they must load another operand of its product
// ONE-DAG: remark[passed]: allow_tma = true of the store at {{.*}}: followed
// ONE-NOT: cp.async.bulk.tensor.2d.shared
// ONE: cp.async.cg.shared.global
// ONE-NOT: cp.async.bulk.tensor.2d.shared
// ONE: cp.async.bulk.tensor.2d.global
// ONE-NOT: cp.async.bulk.tensor.2d.shared

// STORE: remark[passed]: allow_tma = false of the store at {{.*}}: followed: threads make it
// STORE-NOT: cp.async.bulk.tensor.2d.global
// STORE: cp.async.bulk.tensor.2d.shared
// STORE-NOT: cp.async.bulk.tensor.2d.global

// NONE-DAG: allow_tma = false of the load at {{.*}}:[[#A:]]: followed: threads make it
// NONE-DAG: allow_tma = false of the load at {{.*}}:[[#A+1]]: followed: threads make it
// NONE-DAG: latency = 6 of the load at {{.*}}:[[#A+1]]:
// NONE-DAG: allow_tma = false of the store at {{.*}}: followed: threads make it
// NONE-DAG: cp.async.cg.shared.global

// WARPS-DAG: num_worker_warps_per_cta = 32 of the kernel at {{.*}}: followed
// WARPS-DAG: allow_tma = true of the load at {{.*}}: not followed: all warps that a block may have work on tiles, and a producer needs some besides
// WARPS-DAG: .reqntid 1024

// STORES-DAG: latency = 4 of the store
// STORES-DAG: allow_tma = true of the store
// STORES-NOT: of the load
// STORES: tileaa.load_view {{.*}}hints <{default = {allow_tma = true, latency = 2 : i32}}>
// LOADS: tileaa.store_view {{.*}}hints <{default = {allow_tma = true, latency = 4 : i32}}>
// COPIES: latency = 2 of the load
// COPIES-NOT: allow_tma = {{.*}} of the
// COPIES: tileaa.store_view {{.*}}hints

module {
  func.func @gemm(%a: i64, %n: i32, %b: i64, %c: i64) attributes {tileaa.kernel} {
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
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
    %k = arith.muli %iy, %c128 : index
    %r = scf.for %i = %c0 to %d step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
      %ta, %t0 = tileaa.load_view %va[%m, %i] after %t dims [0, 1] padding zero hints <{default = {HINTS_A}}> : <[?, ?], bf16, strides = [?, 1]> -> tensor<128x64xbf16>
      %tb, %t1 = tileaa.load_view %vb[%i, %k] after %t dims [0, 1] padding zero hints <{default = {HINTS_B}}> : <[?, ?], bf16, strides = [?, 1]> -> tensor<64x128xbf16>
      %s = tileaa.mma %ta, %tb, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
      scf.yield %s : tensor<128x128xf32>
    }
    %o = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xbf16>
    %u = tileaa.store_view %o, %vc[%m, %k] after %t dims [0, 1] hints <{default = {HINTS_C}}> : tensor<128x128xbf16>, <[?, ?], bf16, strides = [?, 1]>
    return
  }
}
