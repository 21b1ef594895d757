// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
// RUN: tilewright-c++ --emit=tilebc %s -o %t && tileirdisasm %t | FileCheck %s --check-prefix=DIS
#include <cuda_tile.h>
namespace ct = cuda::tiles;

// Restricted parameters have tokens of their own, and none where memory is only read.
// CHECK-LABEL: entry @_Z3addIfLi1024EEvPKT_S2_PS0_i(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<ptr<f32>>, %arg3: tile<i32>)
// CHECK: %[[I:.*]] = iota : tile<1024xi32>
// CHECK: get_tile_block_id
// CHECK: %[[MASK:.*]] = cmpi less_than {{.*}} signed : tile<1024xi32> -> tile<1024xi1>
// CHECK: %[[A:.*]], %{{.*}} = load_ptr_tko weak %{{[^ ]+}}, %[[MASK]] :
// CHECK: %[[B:.*]], %{{.*}} = load_ptr_tko weak %{{[^ ]+}}, %[[MASK]], %{{[^ ]+}} :
// CHECK: %[[SUM:.*]] = addf %[[A]], %[[B]]
// CHECK: store_ptr_tko weak %{{.*}}, %[[SUM]], %[[MASK]]
template <class T, int N>
__tile_global__ void add(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n) {
  using Tile = ct::tile<int, ct::shape<N>>;
  auto i = ct::iota<Tile>() + int(ct::bid().x) * N;
  auto mask = i < n;
  ct::store_masked(c + i, ct::load_masked(a + i, mask) + ct::load_masked(b + i, mask, T(0)), mask);
}
template __tile_global__ void add<float, 1024>(const float *, const float *, float *, int);

// Others may be of the same memory: the load comes after the store.
// CHECK-LABEL: entry @in_order(
// CHECK: %[[STORED:.*]] = store_ptr_tko weak
// CHECK: load_ptr_tko weak %{{.*}} token=%[[STORED]]
// DIS: entry @in_order(
extern "C" __tile_global__ void in_order(int *a, const int *b, int *c) {
  *a = 1;
  c[2] = *b;
}

// A bool is a byte in memory, and a parameter, too.
// CHECK-LABEL: entry @bools(%arg0: tile<ptr<i8>>, %arg1: tile<i8>)
// CHECK: cmpi not_equal %arg1
// CHECK: load_ptr_tko weak {{.*}} -> tile<8xi8>
// CHECK: cmpi not_equal {{.*}} -> tile<8xi1>
// CHECK: exti {{.*}} unsigned : tile<8xi1> -> tile<8xi8>
extern "C" __tile_global__ void bools(bool *p, bool flip) {
  auto at = p + ct::iota<ct::tile<int, ct::shape<8>>>();
  ct::store(at, ct::load(at) && !ct::full<ct::tile<bool, ct::shape<8>>>(flip));
}
