// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out[r] = exp(x[r] - max(x[r])) / sum(exp(x[r] - max(x[r]))): a block has a row in one tile, filled up with -inf.
#include "check.h"
#include <cuda_tile.h>

namespace ct = cuda::tiles;

template <int Tile>
__tile_global__ void softmax(const float *__restrict__ x, float *__restrict__ out, int rows, int columns) {
  ct::partition_view from{ct::tensor_span{x, ct::extents{rows, columns}}, ct::shape<1, Tile>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{rows, columns}}, ct::shape<1, Tile>{}};
  int row = ct::bid().x;
  auto values = from.template load_masked<ct::view_padding::negative_inf>(row, 0);
  auto powers = ct::exp(values - ct::reduce_max<1>(values));
  to.store_masked(powers * (1.f / ct::sum<1>(powers)), row, 0);
}

int main() {
  constexpr int rows = 1000, columns = 781;
  Vector x = randomVector(rows * columns), out(rows * columns);
  double time = milliseconds([&] { softmax<1024><<<rows>>>(x.data(), out.data(), rows, columns); });

  std::vector<double> totals(rows);
  for (int i = 0; i < rows * columns; ++i)
    totals[i / columns] += std::exp(double(x[i]));
  return report("softmax", time, out, 1e-6, [&](size_t i) { return std::exp(double(x[i])) / totals[i / columns]; });
}
