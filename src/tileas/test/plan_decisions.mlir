// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions are printed as a plan with their reasons, kept when given back, and decided otherwise, or it is said why not.
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --emit=plan -o %t.toml
// RUN: FileCheck %s < %t.toml
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.toml --emit=plan -o %t.again
// RUN: tilewright plan diff %t.toml %t.again
// RUN: FileCheck %s --check-prefix=AGAIN < %t.again
// AGAIN: warps = {{[0-9]+}}  # the plan file asks for it
// CHECK: [gemm]
// CHECK-DAG: # threads = 384
// CHECK-DAG: {{^}}warps = 8  # as many as
// CHECK-DAG: {{^}}persistent = true  # the producer loads
// CHECK-DAG: {{^}}producer = "agent"
// CHECK-DAG: {{^}}tile_order = 0  # tile blocks run as the grid has them
// CHECK-DAG: {{^}}occupancy = 1  # the agents of a CTA share all registers
// CHECK-DAG: {{^}}producer_registers = 24  # a thread starts copies
// CHECK: [gemm.loop.0]  # {{.*}}gemm_hopper.mlir:{{[0-9]+}}
// CHECK: {{^}}stages = 4
// CHECK: [gemm.product.0]
// CHECK-NEXT: {{^}}atom = "wgmma"
// CHECK-NEXT: {{^}}lhs = "shared"  # it is loaded, and no thread computes it
// CHECK: [gemm.load.0]
// CHECK-NEXT: {{^}}way = "tma"
// CHECK: [gemm.store.0]
// CHECK-NEXT: {{^}}way = "tma"

// RUN: printf '[gemm]\npersistent = false\n[gemm.loop.0]\nstages = 3\n[gemm.store.0]\nway = "threads"\n' > %t.three
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.three --emit=tileas | FileCheck %s --check-prefix=THREE
// THREE-NOT: blocks_per_sm
// THREE: tileas.create_pipeline of 2 : <3 x
// THREE-NOT: tileas.tma_store
// RUN: printf '[gemm]\nproducer = "threads"\n' > %t.threads
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.threads --emit=tileas | FileCheck %s --check-prefix=THREADS
// THREADS-NOT: tileas.agents
// THREADS: tileas.async_load
// RUN: printf '[gemm.product.0]\natom = "mma_sync"\n[gemm]\nwarps = 16\n' > %t.sync
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.sync --emit=tileas | FileCheck %s --check-prefix=SYNC
// SYNC: #tileas.cta<warps = 16
// SYNC: tileas.mma <mma_sync m16n8k16>

// Registers of the agents, the order of tile blocks, the place of the left operand.
// RUN: printf '[gemm]\nproducer_registers = 40\ntile_order = 4\n' > %t.kept
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.kept --emit=tileas | FileCheck %s --check-prefix=KEPT
// KEPT: tileas.agents {{.*}}232, 40
// KEPT: arith.minui
// RUN: printf '[gemm.product.0]\nlhs = "registers"\n' > %t.left
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.left --emit=tileas | FileCheck %s --check-prefix=LEFT
// LEFT: tileas.mma <wgmma {{.*}} : tensor<128x64xbf16, {{.*}}>, !tileas.buffer<
// RUN: printf '[gemm]\nproducer = "threads"\noccupancy = 2\n[gemm.loop.0]\nstages = 2\n[gemm.store.0]\nway = "threads"\n' > %t.two
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.two --emit=ptx | FileCheck %s --check-prefix=TWO
// TWO: .minnctapersm 2

// Where they are impossible.
// RUN: printf '[gemm]\nproducer = "threads"\noccupancy = 2\n[gemm.loop.0]\nstages = 4\n' > %t.full
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.full --emit=ptx 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: {{.*}}.full:3: occupancy = 2 of kernel is impossible, it is 1: a CTA has {{[0-9]+}} of the {{[0-9]+}} bytes of shared memory
// RUN: printf '[gemm]\noccupancy = 2\n' > %t.shared
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.shared --emit=ptx 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: {{.*}}.shared:2: occupancy = 2 of kernel is impossible, it is 1: the agents of a CTA share all registers
// RUN: printf '[gemm]\nproducer_registers = 200\n' > %t.many
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.many --emit=ptx 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: {{.*}}.many:2: producer_registers = 200 of kernel is impossible, it is 168: all threads keep those that they begin with
// RUN: printf '[gemm]\nproducer_registers = 40\n' > %t.nobody
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_80 --plan=%t.nobody --emit=ptx 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: {{.*}}.nobody:2: producer_registers = 40 of kernel is impossible: it is decided for kernels with a producer
// RUN: printf '[gemm]\npersistent = false\ntile_order = 4\n' > %t.order
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.order --emit=ptx 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: {{.*}}.order:3: tile_order = 4 of kernel is impossible, it is 0: the hardware starts a CTA for each tile block
// RUN: printf '[gemm.product.0]\nlhs = "shared"\n' > %t.lhs
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_80 --plan=%t.lhs --emit=ptx 2>&1 | FileCheck %s --check-prefix=LHS
// LHS: {{.*}}.lhs:2: lhs = shared of product 0 {{.*}} is impossible, it is registers: only wgmma reads its left operand from either
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_100 --emit=plan | FileCheck %s --check-prefix=TMEM
// TMEM: atom = "tcgen05"
// TMEM-NEXT: lhs = "shared"  # tcgen05 reads no registers, and copies write to shared memory
// RUN: printf '[gemm.product.0]\nlhs = "registers"\n' > %t.tmem
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_100 --plan=%t.tmem --emit=ptx 2>&1 | FileCheck %s --check-prefix=TMEMLHS
// TMEMLHS: {{.*}}.tmem:2: lhs = registers of product 0 {{.*}} is impossible, it is shared: tcgen05 reads no registers, and copies write to shared memory

// The line of the file, the reason, and the limit.
// RUN: printf '[gemm.loop.0]\nstages = 9\n' > %t.nine
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.nine --emit=ptx 2>&1 | FileCheck %s --check-prefix=NINE
// NINE: {{.*}}.nine:2: stages = 9 of loop 0 ({{.*}}gemm_hopper.mlir:{{[0-9]+}}) is impossible, it is 4: of {{[0-9]+}} bytes each
// RUN: printf '[gemm]\nwarps = 8\n[gemm.loop.3]\nstages = 2\n' > %t.loop
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.loop --emit=ptx 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: {{.*}}.loop:4: a decision on loop 3, and the kernel has 1 of them, counted from 0
// RUN: printf '[gemm.product.0]\natom = "wgmma"\n' > %t.older
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_80 --plan=%t.older --emit=ptx 2>&1 | FileCheck %s --check-prefix=OLDER
// OLDER: {{.*}}.older:2: atom = wgmma of product 0 {{.*}} is impossible, it is mma_sync: the tensor cores of the architecture have no larger instruction
// RUN: printf '[gemm]\nproducer = "agent"\n[gemm.load.1]\nway = "threads"\n' > %t.both
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.both --emit=ptx 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: {{.*}}.both:2: producer = agent of kernel is impossible, it is threads: threads load all tiles of a loop
// RUN: printf '[gemm]\npersistent = true\n' > %t.grid
// RUN: not tilewright compile %S/attention_hopper.mlir --target=sm_90 --plan=%t.grid --emit=ptx 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: {{.*}}.grid:1: no kernel 'gemm', the module has attention
// RUN: printf '[gemm]\nwarp = 8\n' > %t.key
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.key --emit=ptx 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: {{.*}}.key:2: a plan has no 'warp', did you mean 'warps'?; it has warps, persistent, producer, tile_order, cluster, split, occupancy, producer_registers, slice, product.N.atom, product.N.lhs, reduction.N.form, loop.N.stages, load.N.way, store.N.way, load.N.cache, store.N.cache, loop.N.schedule
// RUN: printf '[gemm]\nwarps = 12\n' > %t.odd
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.odd --emit=ptx 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: {{.*}}.odd:2: warps is '12', and warps of a kernel is expected to be a power of two of at most 32
// RUN: printf '[gemm\nwarps = 12\n' > %t.text
// RUN: not tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.text --emit=ptx 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: {{.*}}.text:1: {{.+}}

// A copy that no thread makes has the default, and no decision.
// RUN: printf '[gemm.load.0]\ncache = "default"\n' > %t.default
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --plan=%t.default --emit=ptx -o /dev/null

// A plan as a module is decided already.
// RUN: tilewright compile %S/gemm_hopper.mlir --target=sm_90 --emit=tileas -o %t.mlir
// RUN: printf '[gemm]\nwarps = 8\n' > %t.same
// RUN: tilewright compile %t.mlir --target=sm_90 --plan=%t.same --emit=ptx -o /dev/null
// RUN: printf '[gemm]\nwarps = 4\n' > %t.late
// RUN: not tilewright compile %t.mlir --target=sm_90 --plan=%t.late --emit=ptx 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: {{.*}}.late:2: warps is '4', and 8 in the module: of a plan only schedules are decided otherwise
