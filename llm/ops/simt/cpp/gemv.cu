// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out [tokens, rows] = x [tokens, size] weight [rows, size]^T with the scales of its form, 16 rows a block.
#include "gemv.cuh"

KERNEL gemv(const bf16 *x, long x_stride, const float *x_scales, const unsigned char *weight, long w_stride,
            const float *scales, OUT *out, long out_stride, int tokens, int rows, int size, int group) {
  __shared__ Parts parts;
  int lane = threadIdx.x % 32, first = blockIdx.x * 16, blocks = divide_up(size, BLOCK);
  // Rows and tokens past the edge repeat the last ones, and their results are dropped.
  Operands operands;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    int row = min(first + half * 8 + lane / 4, rows - 1);
    long scale = FORM == FP8 ? static_cast<long>(row / BLOCK) * blocks : static_cast<long>(row) * (size / group);
    operands.rows[half] = {weight + bytes_of(row * w_stride), scales + scale};
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    operands.inputs[c] = x + min(c * 8 + lane / 4, tokens - 1) * x_stride;
    for (int i = 0; i < 2; ++i)
      operands.input_scales[c][i] = x_scales + min(c * 8 + lane % 4 * 2 + i, tokens - 1) * static_cast<long>(blocks);
  }
  float total[COLUMNS][4] = {};
  sum_part(total, operands, size, group);
  parts.keep(total);
  __syncthreads();
  for (int item = threadIdx.x; item < 128 * COLUMNS; item += blockDim.x) {
    int row = item % 16, token = item / 16;  // neighbors of a row of out
    if (token < tokens && first + row < rows)
      store(out + token * out_stride + first + row,
            parts.sum(row, token) * (FORM == INT8 ? scales[first + row] : 1.0f));
  }
}
