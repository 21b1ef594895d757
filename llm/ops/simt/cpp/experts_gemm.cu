// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of at most ROWS pairs of one expert with COLUMNS rows of its weight on tensor cores.
#include "gemm.cuh"
#include "experts.cuh"

KERNEL experts_gemm(const bf16 *x, long x_stride, const float *x_scales, const unsigned char *weight, long w_stride,
                    long w_expert, const float *scales, OUT *out, long out_stride, const int *order, const int *tiles,
                    int columns, int size) {
  DYNAMIC_SHARED(memory);
  Group pairs(order, tiles + 3 * blockIdx.x);
  if (pairs.count == 0)
    return;
  int first_column = blockIdx.y * COLUMNS, blocks = divide_up(size, BLOCK);
  weight += bytes_of(pairs.expert * w_expert);
  scales += pairs.expert * static_cast<long>(divide_up(columns, BLOCK)) * blocks;
  Operands operands;
  operands.begin = 0;
  operands.end = size;
#pragma unroll
  for (int i = 0; i < A_COPIES; ++i)
    operands.x.from[i] = reinterpret_cast<const unsigned char *>(
        x + pairs.source(operands.x.row(i)) * x_stride + operands.x.column(i));
#pragma unroll
  for (int i = 0; i < B_COPIES; ++i) {
    int row = weight_row(min(first_column + operands.weight.row(i), columns - 1), columns / 2);
    operands.weight.from[i] = weight + bytes_of(row * w_stride + operands.weight.column(i));
  }

  float total[M][N][4] = {};
  Pipeline pipeline(operands, memory);
#if FORM == FP8
  float sums[M][N][4] = {};
  pipeline.run(sums, [&](int k, float (&now)[M][N][4]) {
    if ((k + DEPTH) % BLOCK != 0 && k + DEPTH < size)
      return;
    add_block(
        total, now,
        [&](int m, int half) {
          return x_scales[pairs.source(row_of(m, half)) * static_cast<long>(blocks) + k / BLOCK];
        },
        [&](int n) {
          int row = weight_row(min(first_column + column_of(n), columns - 1), columns / 2);
          return scales[row / BLOCK * static_cast<long>(blocks) + k / BLOCK];
        });
  });
#else
  pipeline.run(total, [](int, float (&)[M][N][4]) {});
#endif

#pragma unroll
  for (int m = 0; m < M; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int pair = row_of(m, half);
      if (pair >= pairs.count)
        continue;
      OUT *to = out + pairs.target(pair) * out_stride;
#pragma unroll
      for (int n = 0; n < N; n += UP ? 2 : 1) {
        int column = first_column + column_of(n);
        float first = total[m][n][2 * half], second = total[m][n][2 * half + 1];
        if (column >= columns)
          continue;
#if UP
        first = silu(first) * total[m][n + 1][2 * half];
        second = silu(second) * total[m][n + 1][2 * half + 1];
        column = column / 16 * 8 + column % 8;
#endif
        store_pair(to + column, first, second);
      }
    }
}
