// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the kernels of attention share: rows of queries, places of keys in pages, and the running softmax.
#pragma once
#include "tiles.cuh"

constexpr float NONE = -1e30f;  // below every score, and its difference to itself is 0

// Of the requests, the one with the tile `number` of SIZE rows, where each query has `heads` rows.
struct Tile {
  int request, first;  // the first row, counted from the request's first query
  bool found;
};

template <int SIZE> DEVICE Tile find_tile(int number, const int *starts, int requests, int heads) {
  for (int request = 0; request < requests; ++request) {
    int tiles = divide_up((starts[request + 1] - starts[request]) * heads, SIZE);
    if (number < tiles)
      return {request, (tiles - 1 - number) * SIZE, true};  // the last ones see most keys, and begin first
    number -= tiles;
  }
  return {0, 0, false};
}

// Keys [first, end) of one of `splits` parts, in multiples of `step`.
DEVICE int2 part_of_keys(int length, int split, int splits, int step) {
  int each = divide_up(divide_up(length, splits), step) * step;
  return make_int2(min(split * each, length), min((split + 1) * each, length));
}

// The largest and the sum of a row, over the four lanes that share it.
DEVICE float largest_of_row(float value) {
  value = fmaxf(value, __shfl_xor_sync(FULL, value, 1));
  return fmaxf(value, __shfl_xor_sync(FULL, value, 2));
}

DEVICE float sum_of_row(float value) {
  value += __shfl_xor_sync(FULL, value, 1);
  return value + __shfl_xor_sync(FULL, value, 2);
}
