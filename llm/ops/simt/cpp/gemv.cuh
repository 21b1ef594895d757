// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 16 rows of a weight and at most 8 COLUMNS tokens, bound by reading the weight once.
//
// Each of WARPS warps sums a part of K, and shared memory adds the parts. The product runs on tensor cores with rows of
// the weight as rows and tokens as columns. The order of K in a sum is free, so a lane gives its operands the elements
// that one access of 16 bytes brings, the same ones of weight and x, and no element passes through shared memory.
#pragma once
#include "forms.cuh"

constexpr int EACH = 128 / BITS;                                      // elements of 16 bytes of the weight
constexpr int UNROLL = FORM == DENSE ? 4 / COLUMNS : FORM == INT4 ? 1 : 2;  // such accesses a row at once
constexpr int STEP = 4 * EACH * UNROLL;                               // elements of K that a warp takes at once

// A row of the weight, and its scales along K.
struct Row {
  const unsigned char *weight;
  const float *scales;
};

// The rows of a lane: g and g + 8 of the 16; the tokens whose elements it loads, and the scales of f8 of those whose
// results it has.
struct Operands {
  Row rows[2];
  const bf16 *inputs[COLUMNS];
  const float *input_scales[COLUMNS][2];
};

DEVICE uint4 load_four(const void *source) { return *reinterpret_cast<const uint4 *>(source); }

DEVICE void sum_part(float (&total)[COLUMNS][4], const Operands &operands, int size, int group) {
  int q = threadIdx.x % 4, warp = threadIdx.x / 32;
  for (int start = warp * STEP; start < size; start += WARPS * STEP) {
    uint4 raw[UNROLL][2], x[UNROLL][EACH / 8][COLUMNS];
    float sums[COLUMNS][4] = {};
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int k = start + (u * 4 + q) * EACH;
        raw[u][half] = k < size ? load_once(operands.rows[half].weight + bytes_of(k)) : make_uint4(0, 0, 0, 0);
      }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u)
#pragma unroll
      for (int piece = 0; piece < EACH / 8; ++piece)
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
          int k = start + (u * 4 + q) * EACH + piece * 8;
          x[u][piece][c] = k < size ? load_four(operands.inputs[c] + k) : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      int first = start + (u * 4 + q) * EACH;
      float scales[2] = {1.0f, 1.0f};
      if (FORM == INT4 && first < size) {
        scales[0] = operands.rows[0].scales[first / group];
        scales[1] = operands.rows[1].scales[first / group];
      }
#pragma unroll
      for (int piece = 0; piece < EACH / 8; ++piece) {
        const unsigned *words[2] = {&raw[u][0].x + piece * BITS / 4, &raw[u][1].x + piece * BITS / 4};
        uint4 upper = widen(words[0], scales[0]), lower = widen(words[1], scales[1]);
        unsigned low[4] = {upper.x, lower.x, upper.y, lower.y}, high[4] = {upper.z, lower.z, upper.w, lower.w};
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
          uint4 column = x[u][piece][c];
          float (&target)[4] = FORM == FP8 ? sums[c] : total[c];
          multiply_add(target, low, column.x, column.y);
          multiply_add(target, high, column.z, column.w);
        }
      }
    }
    if (FORM == FP8) {  // a step is a block of 128
      int block = start / BLOCK;
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          total[c][i] += sums[c][i] * operands.rows[i / 2].scales[block] * operands.input_scales[c][i % 2][block];
    }
  }
}

// The sum of all parts for row `row` of the 16 and a token, after a barrier behind `keep_part`.
struct Parts {
  float of[WARPS][4 * COLUMNS][32];

  DEVICE void keep(const float (&total)[COLUMNS][4]) {
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        of[threadIdx.x / 32][c * 4 + i][threadIdx.x % 32] = total[c][i];
  }

  DEVICE float sum(int row, int token) const {
    int place = token / 8 * 4 + row / 8 * 2 + token % 2, lane = row % 8 * 4 + token % 8 / 2;
    float result = 0.0f;
    for (int part = 0; part < WARPS; ++part)
      result += of[part][place][lane];
    return result;
  }
};
