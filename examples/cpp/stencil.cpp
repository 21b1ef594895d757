// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of diffusion on a grid with a halo: each point moves towards the mean of its four neighbours. The tile of a
// block and those of its neighbours are views of the same array that begin one row or column earlier or later.
#include "check.h"
#include <cuda_tile.h>

namespace ct = cuda::tiles;

template <int H, int W> __tile__ auto tileAt(const float *p, int height, int width, int row, int column) {
  using Strides = ct::strides<uint32_t, ct::dynamic_stride, 1>;
  ct::extents inside{height, width};
  using Mapping = typename ct::layout_strided<Strides>::template mapping<decltype(inside)>;
  ct::tensor_span span{p, Mapping{inside, Strides{width + 2}}};
  return ct::partition_view{span, ct::shape<H, W>{}}.load_masked(row, column);
}

template <int H, int W>
__tile_global__ void diffuse(const float *__restrict__ from, float *__restrict__ to, int height, int width,
                             float rate) {
  int line = width + 2, row = ct::bid().x, column = ct::bid().y;
  auto shifted = [&](int down, int right) {
    return tileAt<H, W>(from + (1 + down) * line + 1 + right, height, width, row, column);
  };
  auto middle = shifted(0, 0);
  auto around = shifted(-1, 0) + shifted(1, 0) + shifted(0, -1) + shifted(0, 1);
  auto result = middle + (around * 0.25f - middle) * rate;
  ct::partition_view out{ct::tensor_span{to, ct::extents{height, width}}, ct::shape<H, W>{}};
  out.store_masked(result, row, column);
}

int main() {
  constexpr int height = 500, width = 700, tileHeight = 16, tileWidth = 64;
  constexpr float rate = 0.5f;
  Vector from = randomVector((height + 2) * (width + 2)), to(height * width);
  dim3 grid((height + tileHeight - 1) / tileHeight, (width + tileWidth - 1) / tileWidth);
  double time =
      milliseconds([&] { diffuse<tileHeight, tileWidth><<<grid>>>(from.data(), to.data(), height, width, rate); });
  return report("stencil", time, to, 1e-6, [&](size_t i) {
    auto at = [&](int row, int column) { return double(from[(row + 1) * (width + 2) + column + 1]); };
    int row = i / width, column = i % width;
    double mean = (at(row - 1, column) + at(row + 1, column) + at(row, column - 1) + at(row, column + 1)) / 4;
    return at(row, column) + (mean - at(row, column)) * rate;
  });
}
