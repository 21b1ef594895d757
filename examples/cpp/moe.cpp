// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mixture of experts: each token goes through the matrices of two of them, whose results it adds by their weights.
// The pairs of token and expert are sorted by expert and filled up to whole tiles, so that a block needs one expert.
#include "check.h"
#include <cuda_tile.h>

namespace ct = cuda::tiles;

// A row of the tile is a pair; rows that fill up have the token -1. Tokens are gathered, and their results added.
template <int Rows, int N, int K>
__tile_global__ void experts(const float *__restrict__ tokens, const float *__restrict__ matrices,
                             const int *__restrict__ tokenOfPair, const float *__restrict__ weightOfPair,
                             const int *__restrict__ expertOfTile, float *out, int k, int n) {
  int tile = ct::bid().x, column = int(ct::bid().y) * N;
  auto pair = ct::iota<ct::tile<int, ct::shape<Rows, 1>>>() + tile * Rows;
  auto token = ct::load(tokenOfPair + pair);
  auto isToken = token >= 0;
  ct::partition_view matrix{ct::tensor_span{matrices + expertOfTile[tile] * k * n, ct::extents{k, n}},
                            ct::shape<K, N>{}};
  auto inner = ct::iota<ct::tile<int, ct::shape<1, K>>>();
  auto sum = ct::zeros<ct::tile<float, ct::shape<Rows, N>>>();
  for (auto i : ct::irange(0, ct::ceildiv(k, K))) {
    auto isInside = isToken && inner + i * K < k;
    auto rows = ct::load_masked(tokens + (token * k + i * K + inner), isInside, 0.f);
    sum = ct::mma(rows, matrix.load_masked(i, int(ct::bid().y)), sum);
  }
  auto at = ct::iota<ct::tile<int, ct::shape<1, N>>>() + column;
  ct::atomic_add_masked<ct::memory_order::relaxed>(out + (token * n + at), sum * ct::load(weightOfPair + pair),
                                                   isToken && at < n);
}

int main() {
  constexpr int count = 200, k = 96, n = 160, experts_ = 8, chosen = 2, rows = 16, columns = 64;
  Vector tokens = randomVector(count * k), matrices = randomVector(experts_ * k * n),
         gates = randomVector(count * chosen);
  std::vector<int> choice(count * chosen);
  for (int i = 0; i < count * chosen; ++i)
    choice[i] = (i / chosen * 5 + i % chosen * 3) % experts_;

  tilewright::vector<int> tokenOfPair, expertOfTile;
  Vector weightOfPair;
  for (int expert = 0; expert < experts_; ++expert) {
    for (int i = 0; i < count * chosen; ++i)
      if (choice[i] == expert) {
        tokenOfPair.push_back(i / chosen);
        weightOfPair.push_back(gates[i]);
      }
    while (tokenOfPair.size() % rows) {
      tokenOfPair.push_back(-1);
      weightOfPair.push_back(0);
    }
    expertOfTile.resize(tokenOfPair.size() / rows, expert);
  }

  Vector out(count * n);
  dim3 grid(expertOfTile.size(), (n + columns - 1) / columns);
  double time = milliseconds([&] {
    std::fill(out.begin(), out.end(), 0.f);
    experts<rows, columns, 32><<<grid>>>(tokens.data(), matrices.data(), tokenOfPair.data(), weightOfPair.data(),
                                         expertOfTile.data(), out.data(), k, n);
  });
  return report("moe", time, out, 1e-4, [&](size_t i) {
    double sum = 0;
    for (int c = 0; c < chosen; ++c)
      for (int j = 0, pair = i / n * chosen + c; j < k; ++j)
        sum += double(gates[pair]) * tokens[i / n * k + j] * matrices[(choice[pair] * k + j) * n + i % n];
    return sum;
  });
}
