// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tileaa-choose-hints=target=sm_90 --verify-each | FileCheck %s --check-prefix=HOPPER
// RUN: tilewright-opt %s --tileaa-choose-hints=target=sm_90 --tileaa-choose-hints=target=sm_90 | FileCheck %s --check-prefix=HOPPER
// RUN: tilewright-opt %s --tileaa-choose-hints --verify-each | FileCheck %s --check-prefix=CPU

// The target's own number stands above that of all targets; what it says nothing about stays.
// HOPPER: func.func @kernel{{.*}}tileaa.hints = #tileaa.hints<{default = {num_cta_in_cga = 2 : i32, occupancy = 3 : i32}}>
// CPU: func.func @kernel{{.*}}tileaa.hints = #tileaa.hints<{default = {num_cta_in_cga = 2 : i32, occupancy = 1 : i32}}>
func.func @kernel(%p: i64) attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {num_cta_in_cga = 2 : i32, occupancy = 1 : i32}, sm_90 = {occupancy = 3 : i32}}>} {
  // Hints of other targets only, and none.
  // HOPPER: tileaa.load_ptr %{{.*}} : i64, {{.*}}-> f32
  // CPU: tileaa.load_ptr %{{.*}} : i64, {{.*}}-> f32
  %x, %t = tileaa.load_ptr %p hints <{sm_100 = {latency = 4 : i32}}> : i64, -> f32
  // HOPPER: tileaa.store_ptr %{{.*}} : i64, f32,
  %u = tileaa.store_ptr %p, %x after %t : i64, f32,
  return
}
