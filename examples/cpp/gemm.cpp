// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// c = a @ b: a block has a tile of c and goes along k. Views fill tiles at the edges with zeros, and clip what they
// store.
#include "check.h"
#include <cuda_tile.h>

namespace ct = cuda::tiles;

template <int M, int N, int K>
__tile_global__ void gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n,
                          int k) {
  ct::partition_view tilesOfA{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<M, K>{}};
  ct::partition_view tilesOfB{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<K, N>{}};
  ct::partition_view tilesOfC{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<M, N>{}};
  int row = ct::bid().x, column = ct::bid().y;
  auto sum = ct::zeros<ct::tile<float, ct::shape<M, N>>>();
  for (auto i : ct::irange(0, ct::ceildiv(k, K)))
    sum = ct::mma(tilesOfA.load_masked(row, i), tilesOfB.load_masked(i, column), sum);
  tilesOfC.store_masked(sum, row, column);
}

int main() {
  constexpr int m = 300, n = 500, k = 400, tile = 64;
  Vector a = randomVector(m * k), b = randomVector(k * n), c(m * n);
  dim3 grid((m + tile - 1) / tile, (n + tile - 1) / tile);
  double time = milliseconds([&] { gemm<tile, tile, 32><<<grid>>>(a.data(), b.data(), c.data(), m, n, k); });
  return report("gemm", time, c, 1e-4, [&](size_t i) {
    double sum = 0;
    for (int j = 0; j < k; ++j)
      sum += double(a[i / n * k + j]) * b[j * n + i % n];
    return sum;
  });
}
