// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products by experts share. With UP the product is that of gates and ups, whose columns alternate by eights so
// that a lane has both of an element: the result is silu(gate) * up, in the sorted order of pairs. Else it is the down
// projection of these rows, and goes to the rows of pairs.
#pragma once
#include "values.cuh"

// The tile of pairs of one expert.
struct Group {
  const int *order;
  int expert, first, count;

  DEVICE Group(const int *order, const int *tile) : order(order), expert(tile[0]), first(tile[1]), count(tile[2]) {}

  // The row of x for a pair of the tile; past the end that of the last one.
  DEVICE int source(int pair) const {
    int place = first + min(pair, count - 1);
    return UP ? order[place] / CHOSEN : place;
  }

  DEVICE int target(int pair) const { return UP ? first + pair : order[first + pair]; }
};

// The row of the weight [2 half, K] or [columns, K] for a column of the product.
DEVICE int weight_row(int column, int half) {
  return UP ? column / 16 * 8 + column % 8 + (column % 16 < 8 ? 0 : half) : column;
}
