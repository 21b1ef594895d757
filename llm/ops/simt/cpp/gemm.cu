// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out [M, N] = x [M, K] weight [N, K]^T with the scales of its form. Blocks along z are matrices of their own
// (head_linear), or parts of K (SPLIT) whose sums go to f32 slices one behind the other. With TURNED the weight is
// [K, N] in memory.
#include "gemm.cuh"

KERNEL gemm(const bf16 *x, long x_stride, long x_matrix, const float *x_scales, const unsigned char *weight,
            long w_stride, long w_matrix, const float *scales, OUT *out, long out_stride, long out_matrix, int rows,
            int columns, int size, int part_size, int group) {
  DYNAMIC_SHARED(memory);
  int first_row = blockIdx.x * ROWS, first_column = blockIdx.y * COLUMNS, blocks = divide_up(size, BLOCK);
  Operands operands;
  operands.begin = SPLIT ? blockIdx.z * part_size : 0;
  operands.end = SPLIT ? min(operands.begin + part_size, size) : size;
  operands.columns = columns - first_column;
  operands.stride = w_stride;
  operands.group = group;
  if (!SPLIT) {
    x += blockIdx.z * x_matrix;
    weight += bytes_of(blockIdx.z * w_matrix);
  }
  out += blockIdx.z * out_matrix;
  // Rows past the edge read the last one, and their results are dropped.
#pragma unroll
  for (int i = 0; i < A_COPIES; ++i)
    operands.x.from[i] = reinterpret_cast<const unsigned char *>(
        x + min(first_row + operands.x.row(i), rows - 1) * x_stride + operands.x.column(i));
#pragma unroll
  for (int i = 0; i < B_COPIES; ++i) {
    int row = operands.weight.row(i), column = operands.weight.column(i);
    int source = min(first_column + row, columns - 1);
    operands.weight.from[i] =
        weight + (TURNED ? bytes_of(row * w_stride + first_column + column) : bytes_of(source * w_stride + column));
    operands.scales[i] = scales + (FORM == INT4 ? static_cast<long>(source) * (size / group) : 0);
  }

  float total[M][N][4] = {};
  Pipeline pipeline(operands, memory);
#if FORM == FP8
  float sums[M][N][4] = {};
  pipeline.run(sums, [&](int k, float (&now)[M][N][4]) {
    if ((k + DEPTH) % BLOCK != 0 && k + DEPTH < operands.end)
      return;
    add_block(
        total, now,
        [&](int m, int half) {
          return x_scales[min(first_row + row_of(m, half), rows - 1) * static_cast<long>(blocks) + k / BLOCK];
        },
        [&](int n) {
          return scales[min(first_column + column_of(n), columns - 1) / BLOCK * static_cast<long>(blocks) + k / BLOCK];
        });
  });
#else
  pipeline.run(total, [](int, float (&)[M][N][4]) {});
#endif

#pragma unroll
  for (int n = 0; n < N; ++n) {
    int column = first_column + column_of(n);
    if (column >= columns)
      continue;
    float first = 1.0f, second = 1.0f;
#if FORM == INT8
    first = scales[column];
    second = scales[column + 1];
#endif
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int row = first_row + row_of(m, half);
        if (row < rows)
          store_pair(out + row * out_stride + column, total[m][n][2 * half] * first,
                     total[m][n][2 * half + 1] * second);
      }
  }
}
