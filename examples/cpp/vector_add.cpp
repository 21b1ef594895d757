// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// c = a + b: a block adds a tile, and masks what is behind the end.
#include "check.h"
#include <cuda_tile.h>

namespace ct = cuda::tiles;

template <class T, int Tile>
__tile_global__ void add(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n) {
  auto i = ct::iota<ct::tile<int, ct::shape<Tile>>>() + int(ct::bid().x) * Tile;
  auto isInside = i < n;
  ct::store_masked(c + i, ct::load_masked(a + i, isInside) + ct::load_masked(b + i, isInside), isInside);
}

int main() {
  constexpr int n = 1'000'003, tile = 1024;
  Vector a = randomVector(n), b = randomVector(n), c(n);
  double time = milliseconds([&] { add<float, tile><<<(n + tile - 1) / tile>>>(a.data(), b.data(), c.data(), n); });
  return report("vector_add", time, c, 0, [&](size_t i) { return a[i] + b[i]; });
}
