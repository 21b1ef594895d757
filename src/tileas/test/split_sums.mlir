// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two CTAs of a cluster share the iterations of a tile block of 128x128; the first one adds up and stores.
// RUN: sed -e 's/constant 256/constant 128/; s/x256x/x128x/g' %S/gemm_hopper.mlir > %t.gemm.mlir
// RUN: printf '[gemm]\nsplit = 2\n' > %t.two
// RUN: tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.two --emit=tileas -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.two --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.two --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tilewright compile %t.gemm.mlir --target=sm_100 --plan=%t.two --emit=ptx | FileCheck %s --check-prefix=TMEM
// Four of them add by pairs.
// RUN: printf '[gemm]\nsplit = 4\n' > %t.four
// RUN: tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.four --emit=tileas | FileCheck %s --check-prefix=FOUR
// Nothing is left of it where a plan file asks for 1, as by default.
// RUN: printf '[gemm]\nsplit = 1\n' > %t.one
// RUN: tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.one --emit=ptx -o %t.one.ptx
// RUN: tilewright compile %t.gemm.mlir --target=sm_90 --emit=ptx -o %t.ptx
// RUN: cmp %t.one.ptx %t.ptx
// RUN: not tilewright compile %t.gemm.mlir --target=sm_80 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable not tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=PORTABLE
// RUN: printf '[gemm]\nsplit = 2\npersistent = false\n' > %t.once
// RUN: not tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.once --emit=ptx 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: printf '[gemm]\nsplit = 3\n' > %t.three
// RUN: not tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.three --emit=ptx 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: printf '[gemm]\nsplit = 2\ncluster = 2\n' > %t.both
// RUN: not tilewright compile %t.gemm.mlir --target=sm_90 --plan=%t.both --emit=ptx 2>&1 | FileCheck %s --check-prefix=BOTH
// Other numbers than zero are added once.
// RUN: sed -e 's/dense<0.0>/dense<1.0>/' %t.gemm.mlir > %t.ones.mlir
// RUN: tilewright compile %t.ones.mlir --target=sm_90 --plan=%t.two --emit=tileas | FileCheck %s --check-prefix=ONES
// Sums that are squared in the loop.
// RUN: sed -e 's/scf.yield %%s/%%q = arith.mulf %%s, %%s : tensor<128x128xf32>\n scf.yield %%q/' %t.gemm.mlir > %t.square.mlir
// RUN: not tilewright compile %t.square.mlir --target=sm_90 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=SQUARE
// The sums of a tile of 128x256 have no room beside two stages.
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=ROOM

// CHECK: func.func @gemm(
// CHECK-SAME: blocks_per_sm = 1, cluster = 2, split = 2>
// CHECK: %[[NUMBER:.*]], %[[COUNT:.*]], %[[RANK:.*]] = tileas.cluster
// CHECK: %[[EXCHANGE:.*]] = tileas.create_exchange : <<128x128xf32
// CHECK: %[[ALL:.*]] = arith.divui %{{.*}}, %c64 : index
// CHECK: %[[MORE:.*]] = arith.addi %[[ALL]], %c1 : index
// CHECK: %[[SHARE:.*]] = arith.divui %[[MORE]], %c2 : index
// CHECK: %[[WIDE:.*]] = arith.index_castui %[[RANK]]
// CHECK: %[[BEFORE:.*]] = arith.muli %[[WIDE]], %[[SHARE]] : index
// CHECK: %[[BEGIN:.*]] = arith.minui %[[BEFORE]], %[[ALL]] : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[BEGIN]], %c64 : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[BEFORE]], %[[SHARE]] : index
// CHECK: %[[END:.*]] = arith.minui %[[NEXT]], %[[ALL]] : index
// CHECK: %[[LAST:.*]] = arith.muli %[[END]], %c64 : index
// CHECK: tileas.create_pipeline of 2 : <
// CHECK: tileas.agents warps = [8, 4], registers = [240, 24]
// CHECK: scf.for %[[I:.*]] = %[[NUMBER]] to %{{.*}} step %[[COUNT]]
// CHECK:   %[[BEHIND:.*]] = arith.subi %[[I]], %[[NUMBER]] : i32
// CHECK:   %[[ROUND:.*]] = arith.divui %[[BEHIND]], %[[COUNT]] : i32
// CHECK:   %[[PART:.*]] = scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK:     tileas.consumer_release
// CHECK:   %[[SUM:.*]] = tileas.cluster_sum %[[PART]] through %[[EXCHANGE]] round %[[ROUND]]
// CHECK:   arith.truncf %[[SUM]]
// CHECK:   scf.if %{{.*}} {
// CHECK:     tileas.tma_store
// CHECK: }, {
// FOUR: cluster = 4, split = 4>
// FOUR: %[[EXCHANGE:.*]] = tileas.create_exchange
// FOUR-NOT: tileas.create_exchange
// FOUR: %[[PAIRS:.*]] = tileas.cluster_sum %{{.*}} through %[[EXCHANGE]] round %[[ROUND:.*]] : tensor
// FOUR: %[[SUM:.*]] = tileas.cluster_sum %[[PAIRS]] through %[[EXCHANGE]] round %[[ROUND]] distance 2
// FOUR: arith.truncf %[[SUM]]

// The producer loads what its CTA multiplies.
// CHECK: scf.for %{{.*}} = %[[NUMBER]] to %{{.*}} step %[[COUNT]]
// CHECK:   scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK-NOT: shared %
// CHECK:     tileas.producer_commit

// PLAN: split = 2  # the plan file asks for it
// PLAN: cluster = 1  # CTAs of a cluster share the iterations of a tile block

// PTX: .reqnctapercluster 2
// PTX: barrier.cluster.arrive.aligned
// PTX-DAG: wgmma.mma_async
// PTX-DAG: mapa.shared::cluster
// PTX-DAG: mbarrier.try_wait.parity.acquire.cluster
// PTX-DAG: st.shared::cluster.v4.b32
// PTX-DAG: bar.warp.sync
// PTX-DAG: mbarrier.arrive.release.cluster.shared::cluster.b64 _
// PTX-DAG: ld.shared.v4.b32
// PTX-DAG: add.rn.f32
// PTX: barrier.cluster.arrive;
// PTX-NEXT: barrier.cluster.wait;

// TMEM: .reqnctapercluster 2
// TMEM: st.shared::cluster.v4.b32

// OLDER: {{.*}}.two:2: split = 2 of kernel is impossible, it is 1: the architecture has no clusters
// PORTABLE: split = 2 of kernel is impossible, it is 1: a launcher of the portable ABI rounds no grid up to clusters
// ONCE: split = 2 of kernel is impossible, it is 1: only persistent kernels have clusters: the plan file asks for a CTA for each tile block
// THREE: split is '3', and split of a kernel is expected to be 1, or 2, 4 or 8 CTAs that share the iterations of a tile block
// BOTH: cluster = 2 of kernel is impossible, it is 1: CTAs of a cluster share the iterations of a tile block
// ONES: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}
// ONES: %[[INIT:.*]] = arith.select %[[FIRST]], %{{.*}}, %{{.*}} : tensor<128x128xf32
// ONES: scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]]
// SQUARE: split = 2 of kernel is impossible, it is 1: its loop does more with its sums than to add products
// ROOM: split = 2 of kernel is impossible, it is 1: no producer loads for it: shared memory has no room for two stages
