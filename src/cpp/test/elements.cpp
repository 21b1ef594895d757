// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
// Elements by their bits, tiles of constants, and what the compiler is told.
#include <cuda_tile.h>
namespace ct = cuda::tiles;
using namespace ct::literals;
template <int N> using I = ct::tile<int, ct::shape<N>>;

// Numbers of 4 bits take a byte in memory; the low bits are the number.
// CHECK-LABEL: entry @nibbles(%arg0: tile<ptr<i8>>
// CHECK: load_ptr_tko weak {{.*}} -> tile<16xi8>
// CHECK: unpack {{.*}} tile<16xi8> -> tile<32xf4E2M1FN>
// CHECK: extract {{.*}} tile<16x2xf4E2M1FN> -> tile<16x1xf4E2M1FN>
// CHECK: ftof {{.*}} tile<16xf4E2M1FN> -> tile<16xf32>
// CHECK: ftof {{.*}} tile<16xf32> -> tile<16xf4E2M1FN>
// CHECK: cat {{.*}} tile<16x2xf4E2M1FN>
// CHECK: pack {{.*}} tile<32xf4E2M1FN> -> tile<16xi8>
extern "C" __tile_global__ void nibbles(__nv_fp4_e2m1 *p) {
  auto at = p + ct::iota<I<16>>();
  auto x = ct::element_cast<float>(ct::load(at));
  ct::store(at, ct::element_cast<__nv_fp4_e2m1>(x + x));
}

// CHECK-LABEL: entry @bits(
// CHECK: unpack {{.*}} tile<16xi8> -> tile<32xf4E2M1FN>
// CHECK: permute {{.*}} [1, 0] : tile<4x2xi32> -> tile<2x4xi32>
// CHECK: pack {{.*}} tile<8xi32> -> tile<32xi8>
// CHECK: unpack {{.*}} tile<32xi8> -> tile<16xi16>
// CHECK: permute {{.*}} tile<2x8xi16> -> tile<8x2xi16>
extern "C" __tile_global__ void bits(unsigned char *p, float *q, short *r) {
  auto i = ct::iota<I<16>>();
  ct::store(q + ct::iota<I<32>>(), ct::element_cast<float>(ct::repack<__nv_fp4_e2m1, 0>(ct::load(p + i))));
  auto x = ct::reshape<ct::shape<4, 2>>(ct::iota<I<8>>() + int(*p));
  ct::store(r + ct::iota<ct::tile<int, ct::shape<8, 2>>>(), ct::repack<short>(x, 0_ic));
}

// CHECK-LABEL: entry @constants(
// CHECK-DAG: constant <f32: [1.000000e+00, -2.500000e+00]>
// CHECK-DAG: constant <i32: {{\[\[}}1, 2], [3, 4]]>
extern "C" __tile_global__ void constants(float *p) {
  ct::tile weights({1.0f, -2.5f});
  ct::tile<int, ct::shape<2, 2>> table{{{1, 2}, {3, 4}}};
  auto at = p + ct::iota<ct::tile<int, ct::shape<2, 2>>>();
  ct::store(at, weights * ct::element_cast<float>(table));
}

// CHECK-LABEL: entry @assumptions(
// CHECK: assume div_by<16>, %arg0
// CHECK: assume bounded<0, 100>, %arg1
// CHECK: assume div_by<8>
// CHECK: assume bounded<0, ?>
// CHECK: assume div_by<8, every 4 along 0>
// CHECK: assume same_elements<[2]>
extern "C" __tile_global__ void assumptions(float *p, int n) {
  p = ct::assume_aligned<16>(p);
  n = ct::assume_divisible(ct::assume_bounded<0, 100>(n), 8_ic);
  auto i = ct::assume_bounded_below<0>(ct::iota<I<16>>() * n);
  i = ct::assume_divisible_strided<8, 4, 0>(i);
  ct::store(p + ct::assume_blocked(i, ct::shape<2>{}), ct::zeros<ct::tile<float, ct::shape<16>>>());
}

// CHECK-LABEL: entry @special(
// CHECK: cmpf equal ordered {{.*}} tile<8xf32>
// CHECK: ftof {{.*}} tile<8xf8E5M2> -> tile<8xf32>
// CHECK: cmpf not_equal unordered
extern "C" __tile_global__ void special(const float *p, const __nv_fp8_e5m2 *q, bool *r) {
  auto i = ct::iota<I<8>>();
  ct::store(r + i, ct::isinf(ct::load(p + i)) || ct::isnan(ct::load(q + i)));
}

// CHECK-LABEL: entry @scaled(
// CHECK: mmaf_scaled {{.*}} : tile<16x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, tile<16x16xf32>, tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>
extern "C" __tile_global__ void scaled(const __nv_fp8_e4m3 *a, const __nv_fp8_e8m0 *s, float *c) {
  auto x = ct::load(a + ct::iota<ct::tile<int, ct::shape<16, 64>>>());
  auto y = ct::load(a + ct::iota<ct::tile<int, ct::shape<64, 16>>>());
  auto sx = ct::load(s + ct::iota<ct::tile<int, ct::shape<16, 2>>>());
  auto sy = ct::load(s + ct::iota<ct::tile<int, ct::shape<2, 16>>>());
  auto sum = ct::zeros<ct::tile<float, ct::shape<16, 16>>>();
  ct::store(c + ct::iota<ct::tile<int, ct::shape<16, 16>>>(), ct::scaled_mma(x, sx, y, sy, sum));
}

// CHECK-LABEL: entry @ordered(
// CHECK: load_ptr_tko acquire sys {{.*}}, %{{.*}}, %{{.*}} token
// CHECK: store_ptr_tko release device
// CHECK: load_view_tko relaxed sys
// CHECK: store_view_tko relaxed tl_blk
// CHECK: atomic_red_view_tko relaxed device {{.*}} addf
extern "C" __tile_global__ void ordered(float *p, int n) {
  auto at = p + ct::iota<I<8>>();
  auto x = ct::atomic_load_masked<ct::memory_order::acquire>(at, at != nullptr, 1.0f);
  ct::atomic_store_masked(at, x, true, ct::memory_order_release_t{}, ct::thread_scope_device_t{});
  ct::partition_view view{ct::tensor_span{p, ct::extents{n}}, ct::shape<8>{}};
  x = view.atomic_load_masked(ct::view_padding_nan_t{}, ct::memory_order_relaxed_t{}, 1);
  view.atomic_store(x, ct::memory_order_relaxed_t{}, ct::thread_scope_block_t{}, 2);
  view.atomic_sub_masked(x, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}, 3);
}

// CHECK-LABEL: entry @padded(
// CHECK: make_tensor_view %arg0, shape = [%arg1, 8], strides = [1, %
// CHECK: make_tensor_view %arg0, shape = [%arg1, 10], strides = [16, 1]
extern "C" __tile_global__ void padded(float *p, int n) {
  ct::layout_right_padded<16>::mapping right{ct::extents{n, 10_ic}, 16_ic};
  ct::partition_view rows{ct::tensor_span{p, right}, ct::shape<1, 8>{}};
  ct::tensor_span left{p, ct::layout_left_padded<4>::mapping{ct::extents{n, 8_ic}, 4}};
  ct::partition_view columns{left, ct::shape<1, 8>{}};
  rows.store(columns.load_masked(1, 0), 0, 0);
}
