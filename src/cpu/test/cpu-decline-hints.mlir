// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-decline-hints --verify-each | FileCheck %s --implicit-check-not=hints
// RUN: tilewright-opt %s --cpu-decline-hints --remark-format=emitRemark --remarks-filter=Hints 2>&1 | FileCheck %s --check-prefix=REMARKS

// Each is answered and goes, and an approximate function keeps its permission.
// CHECK-LABEL: func.func @kernel
func.func @kernel(%p: i64) attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {occupancy = 2 : i32}}>} {
  // REMARKS: latency = 4
  // REMARKS-SAME: processors prefetch in hardware
  // CHECK: tileaa.load_ptr
  %x, %t = tileaa.load_ptr %p hints <{default = {latency = 4 : i32}}> : i64, -> f32
  // REMARKS: it is as accurate as without
  // CHECK: math.exp2 %{{.*}} fastmath<afn>
  %y = math.exp2 %x fastmath<afn> : f32
  // REMARKS: allow_tma = true
  // REMARKS-SAME: a CPU has no tensor memory accelerator
  // CHECK: tileaa.store_ptr
  %u = tileaa.store_ptr %p, %y after %t hints <{default = {allow_tma = true}}> : i64, f32,
  return
}
// REMARKS: occupancy = 2
// REMARKS-SAME: a thread of a CPU works on one block at a time
