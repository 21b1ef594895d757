// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out = x / rms(x) * weight, a block per row that keeps the row in registers, so that out may be x. With ADD, x joins
// the residual first, and the norm is that of the sum as it was rounded. A thread has ITEMS packs of WIDTH elements.
#include "values.cuh"

KERNEL rms_norm(const ELEMENT *x, long x_stride, ELEMENT *residual, long residual_stride, const ELEMENT *weight, ELEMENT *out, long out_stride,
                int size, float epsilon) {
  __shared__ float partial[32];
  const ELEMENT *row = x + blockIdx.x * x_stride;
  Pack<ELEMENT, WIDTH> kept[ITEMS];
  float squares = 0.0f;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    int place = (item * blockDim.x + threadIdx.x) * WIDTH;
    if (place < size) {
      kept[item] = load_pack<ELEMENT, WIDTH>(row + place);
#if ADD
      ELEMENT *sums = residual + blockIdx.x * residual_stride + place;
      Pack<ELEMENT, WIDTH> before = load_pack<ELEMENT, WIDTH>(sums);
#pragma unroll
      for (int i = 0; i < WIDTH; ++i)
        store(&kept[item].at[i], to_float(before.at[i]) + to_float(kept[item].at[i]));
      store_pack(sums, kept[item]);
#endif
#pragma unroll
      for (int i = 0; i < WIDTH; ++i)
        squares += to_float(kept[item].at[i]) * to_float(kept[item].at[i]);
    }
  }
  float factor = rsqrtf(sum_of_block(squares, partial) / size + epsilon);
  ELEMENT *to = out + blockIdx.x * out_stride;
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    int place = (item * blockDim.x + threadIdx.x) * WIDTH;
    if (place < size) {
      Pack<ELEMENT, WIDTH> factors = load_pack<ELEMENT, WIDTH>(weight + place);
#pragma unroll
      for (int i = 0; i < WIDTH; ++i)
        store(&kept[item].at[i], to_float(kept[item].at[i]) * factor * to_float(factors.at[i]));
      store_pack(to + place, kept[item]);
    }
  }
}
