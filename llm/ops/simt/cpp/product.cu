// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out [M, N] = x [M, K] weight [N, K]^T by fused multiply-adds in f32, for types, strides and sizes that the tensor
// cores do not take. A block of 256 threads has a tile of 64 x 64, each thread 4 x 4 of it. Blocks along z are matrices
// of their own, or with EXPERTS tiles of pairs of an expert.
#include "forms.cuh"
#if EXPERTS
#include "experts.cuh"
#endif

constexpr int TILE = 64, DEPTH = 16;

// An element of a row of the weight with its scale.
DEVICE float weight_at(const WEIGHT *weight, const float *scales, int row, int k, long w_stride, long w_depth, int size,
                       int group) {
#if FORM == INT8
  return weight[row * w_stride + k] * scales[row];
#elif FORM == INT4
  int digit = weight[row * w_stride + k / 2] >> k % 2 * 4 & 15;
  return (digit - 8) * scales[row * static_cast<long>(size / group) + k / group];
#else
  return to_float(weight[row * w_stride + k * w_depth]);
#endif
}

KERNEL product(const ELEMENT *x, long x_stride, long x_matrix, const WEIGHT *weight, long w_stride, long w_depth,
               long w_matrix, const float *scales, OUT *out, long out_stride, long out_matrix, int rows, int columns,
               int size, int group, const int *order, const int *tiles) {
  __shared__ float a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
  int first_row = blockIdx.x * TILE, first_column = blockIdx.y * TILE;
#if EXPERTS
  Group pairs(order, tiles + 3 * blockIdx.z);
  rows = pairs.count;
  if (rows == 0)
    return;
  weight += pairs.expert * w_matrix;
#else
  x += blockIdx.z * x_matrix;
  weight += blockIdx.z * w_matrix;
  out += blockIdx.z * out_matrix;
#endif
  int across = threadIdx.x % 16, down = threadIdx.x / 16;
  float total[4][4] = {};
  for (int start = 0; start < size; start += DEPTH) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE * DEPTH / 256; ++i) {
      int place = i * 16 + down, k = start + across, row = first_row + place, column = first_column + place;
      bool inside = row < rows && k < size;
#if EXPERTS
      row = pairs.source(row);
#endif
      a[across][place] = inside ? to_float(x[row * x_stride + k]) : 0.0f;
      inside = column < columns && k < size;
      b[across][place] = inside ? weight_at(weight, scales, column, k, w_stride, w_depth, size, group) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          total[i][j] += a[k][down + 16 * i] * b[k][across + 16 * j];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      int row = first_row + down + 16 * i, column = first_column + across + 16 * j;
      if (row >= rows || column >= columns)
        continue;
#if EXPERTS
      row = pairs.target(row);
#endif
      store(out + row * out_stride + column, total[i][j]);
    }
}
