// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of at most 8 COLUMNS pairs of one expert with 16 rows of its weight, where experts have few pairs each.
#include "gemv.cuh"
#include "experts.cuh"

KERNEL experts_gemv(const bf16 *x, long x_stride, const float *x_scales, const unsigned char *weight, long w_stride,
                    long w_expert, const float *scales, OUT *out, long out_stride, const int *order, const int *tiles,
                    int rows, int size) {
  __shared__ Parts parts;
  Group pairs(order, tiles + 3 * blockIdx.y);
  if (pairs.count == 0)
    return;
  int lane = threadIdx.x % 32, first = blockIdx.x * 16, blocks = divide_up(size, BLOCK);
  weight += bytes_of(pairs.expert * w_expert);
  scales += pairs.expert * static_cast<long>(divide_up(rows, BLOCK)) * blocks;
  Operands operands;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    int row = weight_row(min(first + half * 8 + lane / 4, rows - 1), rows / 2);
    operands.rows[half] = {weight + bytes_of(row * w_stride), scales + row / BLOCK * static_cast<long>(blocks)};
  }
#pragma unroll
  for (int c = 0; c < COLUMNS; ++c) {
    operands.inputs[c] = x + pairs.source(c * 8 + lane / 4) * x_stride;
    for (int i = 0; i < 2; ++i)
      operands.input_scales[c][i] = x_scales + pairs.source(c * 8 + lane % 4 * 2 + i) * static_cast<long>(blocks);
  }
  float total[COLUMNS][4] = {};
  sum_part(total, operands, size, 1);
  parts.keep(total);
  __syncthreads();
  constexpr int RESULTS = UP ? 8 : 16;  // of 16 rows
  for (int item = threadIdx.x; item < RESULTS * 8 * COLUMNS; item += blockDim.x) {
    int row = item % RESULTS, pair = item / RESULTS;
    if (pair >= pairs.count || first + row * (16 / RESULTS) >= rows)
      continue;
    float value = parts.sum(row, pair);
    if (UP)
      value = silu(value) * parts.sum(row + 8, pair);
    store(out + pairs.target(pair) * out_stride + blockIdx.x * RESULTS + row, value);
  }
}
