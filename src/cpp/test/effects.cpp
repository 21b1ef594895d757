// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effects of kernels, orders of atomic accesses, numbers of 8 bits, and contraction of products with sums.
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
// RUN: tilewright-c++ --emit=cuda_tile -ffp-contract=off %s | FileCheck %s --check-prefix=APART
// RUN: tilewright-c++ --emit=ptx --target=nvidia:sm_90 --kernel=sums %s -o - | FileCheck %s --check-prefix=PTX
#include <assert.h>
#include <cuda_tile.h>
#include <stdio.h>
namespace ct = cuda::tiles;

// CHECK-LABEL: entry @prints(
// CHECK: print_tko "n is %d\0A", %arg0 : tile<i32>
extern "C" __tile_global__ void prints(int n) { printf("n is %d\n", n); }

// CHECK-LABEL: entry @asserts(
// CHECK: %[[HOLDS:.*]] = cmpi greater_than %arg0
// CHECK: assert %[[HOLDS]], "{{.*}}effects.cpp:[[@LINE+1]]: n > 0"
extern "C" __tile_global__ void asserts(int n) { assert(n > 0); }

// CHECK-LABEL: entry @exchanges(
// CHECK: %[[OLD:.*]], %{{.*}} = atomic_rmw_tko relaxed device %arg0, xchg
// CHECK: store_ptr_tko weak %arg1, %[[OLD]]
extern "C" __tile_global__ void exchanges(int *p, int *q) {
  ct::store(q, ct::atomic_xchg(p, 3, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}));
}

// CHECK-LABEL: entry @ordered(
// CHECK: load_ptr_tko acquire sys %arg0
// CHECK: store_ptr_tko release sys %arg1
extern "C" __tile_global__ void ordered(int *p, int *q) {
  ct::atomic_store(q, ct::atomic_load(p, ct::memory_order_acquire_t{}), ct::memory_order_release_t{});
}

// CHECK-LABEL: entry @sums(
// CHECK: fma %arg1, %arg2, %arg3
// APART-LABEL: entry @sums(
// APART: mulf %arg1, %arg2
// APART-NEXT: addf
// PTX-LABEL: .entry sums(
// PTX: fma.rn.f32
extern "C" __tile_global__ void sums(float *p, float a, float b, float c) { ct::store(p, a * b + c); }

// A product that is there twice is computed once.
// CHECK-LABEL: entry @twice(
// CHECK: %[[PRODUCT:.*]] = mulf %arg1, %arg2
// CHECK: addf %[[PRODUCT]], %arg3
// CHECK: subf %[[PRODUCT]], %arg3
extern "C" __tile_global__ void twice(float *p, float a, float b, float c) {
  p[0] = a * b + c;
  p[1] = a * b - c;
}

// CHECK-LABEL: entry @bytes(
// CHECK: ftof %arg1 {{.*}} -> tile<f8E4M3FN>
extern "C" __tile_global__ void bytes(__nv_fp8_e4m3 *p, float a) { ct::store(p, ct::element_cast<__nv_fp8_e4m3>(a)); }
