// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out[t] = the sum of the rows of a token's CHOSEN pairs [tokens * CHOSEN, size], each times its weight.
#include "values.cuh"

KERNEL add_experts(const ELEMENT *rows, const float *weights, long weights_stride, ELEMENT *out, long out_stride,
                   int size) {
  int place = (blockIdx.y * blockDim.x + threadIdx.x) * WIDTH;
  if (place >= size)
    return;
  float total[WIDTH] = {};
#pragma unroll
  for (int i = 0; i < CHOSEN; ++i) {
    float weight = weights[blockIdx.x * weights_stride + i];
    Pack<ELEMENT, WIDTH> row = load_pack<ELEMENT, WIDTH>(rows + (blockIdx.x * long(CHOSEN) + i) * size + place);
#pragma unroll
    for (int j = 0; j < WIDTH; ++j)
      total[j] += weight * to_float(row.at[j]);
  }
  Pack<ELEMENT, WIDTH> result;
#pragma unroll
  for (int j = 0; j < WIDTH; ++j)
    store(&result.at[j], total[j]);
  store_pack(out + blockIdx.x * out_stride + place, result);
}
