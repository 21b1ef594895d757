// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
#include <cuda_tile.h>
namespace ct = cuda::tiles;
using namespace ct::literals;
using T = ct::tile<float, ct::shape<4, 8>>;

// CHECK-LABEL: entry @reductions(
// CHECK: reduce %{{.*}} dim=1 identities=[0.000000e+00 : f32]
// CHECK: addf
// CHECK: reshape %{{.*}} : tile<4xf32> -> tile<4x1xf32>
// CHECK: reduce %{{.*}} dim=0 identities=[0xFF800000 : f32]
// CHECK: maxf %{{.*}} propagate_nan
// CHECK: reduce %{{.*}} dim=1 identities=[true]
// CHECK: andi
// CHECK: reduce %{{.*}}, %{{.*}} dim=1 identities=[0x7F800000 : f32, 0 : i32]
// CHECK: cmpf less_than
extern "C" __tile_global__ void reductions(float *p, T *) {
  auto at = p + ct::iota<ct::tile<int, ct::shape<4, 8>>>();
  auto x = ct::load(at);
  auto sums = ct::sum(x, 1_ic);
  auto most = ct::reduce_max(x, 0_ic, ct::propagate_nan_t{});
  auto all = ct::all_of<1>(x > 0.0f);
  auto first = ct::min_element<1>(x);
  ct::store(at, ct::select(all, sums + most, x) + ct::element_cast<float>(first));
}

// CHECK-LABEL: entry @scans(
// CHECK: scan %{{.*}} dim=1 reverse=false identities=[0.000000e+00 : f32]
// CHECK: scan %{{.*}} dim=0 reverse=true identities=[1.000000e+00 : f32]
extern "C" __tile_global__ void scans(float *p) {
  auto at = p + ct::iota<ct::tile<int, ct::shape<4, 8>>>();
  ct::store(at, ct::partial_prod(ct::partial_sum<1>(ct::load(at)), 0_ic, ct::scan_backward_t{}));
}

// Old values, with an order and a scope; they come in order with all memory.
// CHECK-LABEL: entry @atomics(
// CHECK: %[[STORED:.*]] = store_ptr_tko weak
// CHECK: %{{.*}}, %[[ADDED:.*]] = atomic_rmw_tko relaxed sys {{.*}}, add, {{.*}} token=%[[STORED]]
// CHECK: %{{.*}}, %[[MOST:.*]] = atomic_rmw_tko acq_rel device {{.*}}, umax, {{.*}} token=%[[ADDED]]
// CHECK: atomic_cas_tko acquire sys {{.*}} token=%[[MOST]]
extern "C" __tile_global__ void atomics(int *__restrict__ p, unsigned *__restrict__ q, float *__restrict__ r) {
  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();
  *r = 1;
  auto old = ct::atomic_add<ct::memory_order::relaxed>(p + i, i);
  ct::atomic_max(q + old, ct::element_cast<unsigned>(i), ct::memory_order_acq_rel_t{}, ct::thread_scope_device_t{});
  ct::atomic_compare_exchange<ct::memory_order::acquire>(p + i, i, old);
}
