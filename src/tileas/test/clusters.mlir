// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two CTAs of a cluster take tile blocks that are adjacent along x, and load the right operand together.
// RUN: printf '[gemm]\ncluster = 2\n' > %t.two
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.two --emit=tileas -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.two --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.two --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_100 --plan=%t.two --emit=ptx | FileCheck %s --check-prefix=TMEM
// Nothing is left of it where a plan file asks for 1, as by default.
// RUN: printf '[gemm]\ncluster = 1\n' > %t.one
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.one --emit=ptx -o %t.one.ptx
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --emit=ptx -o %t.ptx
// RUN: cmp %t.one.ptx %t.ptx
// RUN: FileCheck %s --check-prefix=ALONE < %t.ptx
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_80 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: env TILEWRIGHT_LAUNCH_ABI=portable not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=PORTABLE
// RUN: printf '[gemm]\ncluster = 2\nproducer = "threads"\n' > %t.threads
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.threads --emit=ptx 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: printf '[gemm]\ncluster = 3\n' > %t.three
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.three --emit=ptx 2>&1 | FileCheck %s --check-prefix=THREE
// Tile blocks that load nothing alike.
// RUN: sed -e 's/%%vb\[%%i, %%k\]/%%vb[%%i, %%m]/' %S/gemm_hopper.mlir > %t.diagonal.mlir
// RUN: not tilewright compile %t.diagonal.mlir --target=sm_90 --plan=%t.two --emit=ptx 2>&1 | FileCheck %s --check-prefix=DIFFER

// CHECK: func.func @gemm(%{{.*}}: i64, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32, %{{.*}}, %[[A:[a-z0-9]+]]: !tileas.tma_desc, %[[B:[a-z0-9]+]]: !tileas.tma_desc)
// CHECK-SAME: blocks_per_sm = 1, cluster = 2>
// CHECK: %[[NUMBER:.*]], %[[COUNT:.*]], %[[RANK:.*]] = tileas.cluster
// CHECK: tileas.create_pipeline of 2 cluster 2 : <4 x
// CHECK: tileas.agents
// CHECK: scf.for %[[I:.*]] = %[[NUMBER]] to %{{.*}} step %[[COUNT]]
// CHECK:   %[[AT:.*]] = arith.addi %{{.*}}, %[[RANK]]
// CHECK:   %[[INSIDE:.*]] = arith.cmpi ult, %[[AT]], %[[X]]
// CHECK:   scf.if %[[INSIDE]] {
// CHECK:     tileas.tma_store
// CHECK: }, {
// CHECK: scf.for %{{.*}} = %[[NUMBER]] to %{{.*}} step %[[COUNT]]
// The left operand differs, the right one does not depend on x.
// CHECK:   %[[SAME:.*]] = arith.constant true
// CHECK:   scf.for
// CHECK:     tileas.producer_acquire
// CHECK-NEXT: tileas.tma_load %[[A]][{{.*}}] into %{{.*}}[0] split 1 by 1 :
// CHECK-NEXT: tileas.tma_load %[[B]][{{.*}}] into %{{.*}}[1] split 1 by 4 shared %[[SAME]] :

// PLAN: cluster = 2  # the plan file asks for it

// PTX: .reqnctapercluster 2
// PTX: mov.b32 [[ONE:%r[0-9]+]], 1;
// PTX: mbarrier.init.shared.b64 [{{.*}}], [[ONE]];
// PTX: mov.b32 [[FOUR:%r[0-9]+]], 4;
// PTX: mbarrier.init.shared.b64 [{{.*}}], [[FOUR]];
// PTX: barrier.cluster.arrive.aligned
// PTX-NEXT: barrier.cluster.wait.aligned
// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
// PTX-DAG: mapa.shared::cluster.u64
// PTX-DAG: mbarrier.arrive.shared::cluster.b64 _
// PTX: barrier.cluster.arrive;
// PTX-NEXT: barrier.cluster.wait;

// TMEM: .reqnctapercluster 2
// TMEM-DAG: .multicast::cluster [
// TMEM-DAG: tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64

// ALONE-NOT: cluster.arrive
// ALONE-NOT: multicast

// OLDER: {{.*}}.two:2: cluster = 2 of kernel is impossible, it is 1: the architecture has no clusters
// PORTABLE: cluster = 2 of kernel is impossible, it is 1: a launcher of the portable ABI rounds no grid up to clusters
// THREADS: cluster = 2 of kernel is impossible, it is 1: only persistent kernels have clusters: the plan file has threads load operands of products
// THREE: cluster is '3', and cluster of a kernel is expected to be 1, or 2 or 4 CTAs that share what they load
// DIFFER: cluster = 2 of kernel is impossible, it is 1: adjacent tile blocks load no operand of a product that is the same
