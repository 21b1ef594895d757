// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tiles in shared memory by one warp. Rows of tiles are padded by 16 bytes, so that the eight rows of a
// matrix lie in different banks.
#pragma once
#include "values.cuh"

constexpr int PADDING = 8;  // elements of bf16

// The operand of rows [16, 16] that begins at `tile`.
DEVICE void load_rows(unsigned (&to)[4], const bf16 *tile, int pitch) {
  int lane = threadIdx.x % 32;
  load_matrices(to, tile + lane % 16 * pitch + lane / 16 * 8);
}

// The operands of 16 columns, each of them a row of the tile: two for the first eight, two for the others.
DEVICE void load_columns(unsigned (&to)[4], const bf16 *tile, int pitch) {
  int lane = threadIdx.x % 32;
  load_matrices(to, tile + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * 8);
}

// The same for a tile whose rows are steps of the sum.
DEVICE void load_columns_of_rows(unsigned (&to)[4], const bf16 *tile, int pitch) {
  int lane = threadIdx.x % 32;
  load_matrices_transposed(to, tile + lane % 16 * pitch + lane / 16 * 8);
}

// total [16 M, 8 N] += a [16 M, SIZE] b^T, b [8 N, SIZE] or with OF_ROWS b [SIZE, 8 N].
template <int SIZE, bool OF_ROWS, int M, int N>
DEVICE void multiply_tiles(float (&total)[M][N][4], const bf16 *a, int a_pitch, const bf16 *b, int b_pitch) {
  static_assert(N % 2 == 0, "columns are loaded by 16");
#pragma unroll
  for (int k = 0; k < SIZE; k += 16) {
    unsigned rows[M][4];
#pragma unroll
    for (int m = 0; m < M; ++m)
      load_rows(rows[m], a + m * 16 * a_pitch + k, a_pitch);
#pragma unroll
    for (int n = 0; n < N; n += 2) {
      unsigned columns[4];
      if (OF_ROWS)
        load_columns_of_rows(columns, b + k * b_pitch + n * 8, b_pitch);
      else
        load_columns(columns, b + n * 8 * b_pitch + k, b_pitch);
#pragma unroll
      for (int m = 0; m < M; ++m) {
        multiply_add(total[m][n], rows[m], columns[0], columns[1]);
        multiply_add(total[m][n + 1], rows[m], columns[2], columns[3]);
      }
    }
  }
}
