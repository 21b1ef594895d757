// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Causal attention, one pass over the keys: a block has a tile of queries of one head, and carries the maximum and the
// sum of each row along the keys that its queries see.
#include "check.h"
#include <cuda_tile.h>

namespace ct = cuda::tiles;

constexpr float lowest = -INFINITY;

template <int Queries, int Keys, int Size>
__tile_global__ void attention(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                               float *__restrict__ out, int length, float scale) {
  auto size = ct::integral_constant<Size>();
  int first = int(ct::bid().x) * Queries, offset = int(ct::bid().y) * length * Size;
  ct::extents matrix{length, size};
  ct::extents turned{size, length};
  ct::partition_view tilesOfQ{ct::tensor_span{q + offset, matrix}, ct::shape<Queries, Size>{}};
  ct::partition_view tilesOfK{ct::tensor_span{k + offset, turned, ct::layout_left{}}, ct::shape<Size, Keys>{}};
  ct::partition_view tilesOfV{ct::tensor_span{v + offset, matrix}, ct::shape<Keys, Size>{}};
  ct::partition_view tilesOfOut{ct::tensor_span{out + offset, matrix}, ct::shape<Queries, Size>{}};

  using Scores = ct::tile<float, ct::shape<Queries, Keys>>;
  using PerRow = ct::tile<float, ct::shape<Queries, 1>>;
  auto query = ct::reshape(ct::iota<ct::tile<int, ct::shape<Queries>>>(), ct::shape<Queries, 1>{}) + first;
  auto key = ct::reshape(ct::iota<ct::tile<int, ct::shape<Keys>>>(), ct::shape<1, Keys>{});
  auto tileOfQ = tilesOfQ.load_masked(int(ct::bid().x), 0);
  auto highest = ct::full<PerRow>(lowest);
  auto total = ct::zeros<PerRow>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<Queries, Size>>>();
  for (auto i : ct::irange(0, ct::ceildiv(first + Queries, Keys))) {
    auto products = ct::mma(tileOfQ, tilesOfK.load_masked(0, i), ct::zeros<Scores>());
    auto isSeen = key + i * Keys <= query;
    auto scores = ct::select(isSeen, products * scale, ct::full<Scores>(lowest));
    auto higher = ct::max(highest, ct::reduce_max<1>(scores));
    auto powers = ct::exp(scores - higher);
    auto shrink = ct::exp(highest - higher);
    total = total * shrink + ct::sum<1>(powers);
    sum = ct::mma(powers, tilesOfV.load_masked(i, 0), sum * shrink);
    highest = higher;
  }
  tilesOfOut.store_masked(sum / total, int(ct::bid().x), 0);
}

int main() {
  constexpr int heads = 4, length = 300, size = 64, tile = 64;
  const float scale = 1 / std::sqrt(float(size));
  Vector q = randomVector(heads * length * size), k = randomVector(q.size()), v = randomVector(q.size()), out(q.size());
  dim3 grid((length + tile - 1) / tile, heads);
  double time = milliseconds(
      [&] { attention<tile, tile, size><<<grid>>>(q.data(), k.data(), v.data(), out.data(), length, scale); });

  std::vector<double> expected(q.size());
  for (int row = 0; row < heads * length; ++row) {
    int first = row / length * length; // of the head
    std::vector<double> weights;
    double total = 0;
    for (int key = first; key <= row; ++key) {
      double score = 0;
      for (int i = 0; i < size; ++i)
        score += double(q[row * size + i]) * k[key * size + i];
      weights.push_back(std::exp(score * scale));
      total += weights.back();
    }
    for (int key = first; key <= row; ++key)
      for (int i = 0; i < size; ++i)
        expected[row * size + i] += weights[key - first] / total * v[key * size + i];
  }
  return report("attention", time, out, 1e-5, [&](size_t i) { return expected[i]; });
}
