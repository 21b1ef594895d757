// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
#include <cuda_tile.h>
namespace ct = cuda::tiles;
using namespace ct::literals;

// Extents that are constants become part of the type, and a view stands before the loop.
// CHECK-LABEL: entry @_Z4gemmILi32ELi32ELi16EEvPK6__halfS2_Pfiii(
// CHECK: make_tensor_view %arg0, shape = [%arg3, %arg5], strides = [%arg5, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
// CHECK: make_partition_view {{.*}} : partition_view<tile=(32x16), padding_value = zero,
// CHECK: for %{{.*}} iter_values(%[[ACC:[a-zA-Z0-9]+]] = %
// CHECK-NEXT: load_view_tko weak
// CHECK-NOT: view %
// CHECK: %[[NEXT:.*]] = mmaf %{{.*}}, %{{.*}}, %[[ACC]]
// CHECK-NEXT: continue %[[NEXT]]
template <int M, int N, int K>
__tile_global__ void gemm(const __half *__restrict__ a, const __half *__restrict__ b, float *__restrict__ c, int m,
                          int n, int k) {
  ct::partition_view va{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<M, K>{}};
  ct::partition_view vb{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<K, N>{}};
  ct::partition_view vc{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<M, N>{}};
  auto [x, y, z] = ct::bid();
  auto sum = ct::zeros<ct::tile<float, ct::shape<M, N>>>();
  for (auto i : ct::irange(0, ct::ceildiv(k, K)))
    sum = ct::mma(va.load_masked(x, i), vb.load_masked(i, y), sum);
  vc.store_masked(sum, x, y);
}
template __tile_global__ void gemm<32, 32, 16>(const __half *, const __half *, float *, int, int, int);

// CHECK-LABEL: entry @layouts(
// CHECK: make_tensor_view %arg0, shape = [8, 16], strides = [1, 8] : tensor_view<8x16xf32, strides=[1,8]>
// CHECK: padding_value = neg_inf
// CHECK: make_tensor_view %arg0, shape = [%arg1], strides = [2]
// CHECK: load_view_tko weak {{.*}} inbounds = [true]
extern "C" __tile_global__ void layouts(float *p, int n) {
  ct::tensor_span left{p, ct::extents{8_ic, 16_ic}, ct::layout_left{}};
  auto t = ct::partition_view{left, ct::shape{8_ic, 16_ic}}.load_masked<ct::view_padding::negative_inf>(0, 0);
  using Every = ct::layout_strided<ct::strides<uint32_t, 2>>;
  ct::tensor_span every{p, Every::mapping<ct::extents<uint32_t, ct::dynamic_extent>>{ct::extents{n}, {}}};
  ct::partition_view row{every, ct::shape{16_ic}};
  row.store_masked(row.load(1) + ct::reshape(ct::sum<0>(t), ct::shape{16_ic}), 0);
}

// CHECK-LABEL: entry @others(
// CHECK: make_strided_view {{.*}} strided_view<tile=(8x16), traversal_strides=[4,16], padding_value = zero,
// CHECK: make_gather_scatter_view {{.*}} gather_scatter_view<tile=(8x16), tensor_view<?x16xf32, strides=[16,1]>, sparse_dim=0>
// CHECK: store_view_tko weak
extern "C" __tile_global__ void others(float *p, const int *rows, int n) {
  ct::tensor_span span{p, ct::extents{n, 16_ic}};
  ct::shape<8, 16> shape;
  auto x = ct::strided_view{span, shape, ct::strides{4_ic, 16_ic}}.load_masked(1, 0);
  auto chosen = ct::load(rows + ct::iota<ct::tile<int, ct::shape<8>>>());
  ct::gather_scatter_view{span, shape, 0_ic}.store_masked(x, chosen, 0);
}
