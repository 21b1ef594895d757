// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x [rows, size] as f8e4m3 in bf16, which holds all of its values, with a scale per row and 128 columns: a warp for each.
#include "values.cuh"

KERNEL quantize(const ELEMENT *x, long x_stride, bf16 *out, float *scales, int size) {
  int lane = threadIdx.x % 32, block = blockIdx.y * (blockDim.x / 32) + threadIdx.x / 32, blocks = divide_up(size, 128);
  if (block >= blocks)
    return;
  const ELEMENT *from = x + blockIdx.x * x_stride;
  float values[4], largest = 0.0f;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int column = block * 128 + i * 32 + lane;
    values[i] = column < size ? to_float(from[column]) : 0.0f;
    largest = fmaxf(largest, fabsf(values[i]));
  }
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(FULL, largest, step));
  float scale = fmaxf(largest / 448.0f, 0x1p-126f);
  if (lane == 0)
    scales[blockIdx.x * static_cast<long>(blocks) + block] = scale;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    int column = block * 128 + i * 32 + lane;
    if (column < size)
      store(out + blockIdx.x * static_cast<long>(size) + column, round_to_fp8(values[i] / scale));
  }
}
