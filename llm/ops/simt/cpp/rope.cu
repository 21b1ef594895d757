// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotates pairs of x [T, heads, 2 HALF] in place by the angles of the token's position. A thread rotates WIDTH pairs:
// elements i and i + HALF, or with INTERLEAVED 2i and 2i + 1.
#include "values.cuh"

KERNEL rope(ELEMENT *x, long token_stride, long head_stride, const int *positions, const float *table, int heads) {
  constexpr int PARTS = HALF / WIDTH;
  int work = blockIdx.y * blockDim.x + threadIdx.x;
  if (work >= heads * PARTS)
    return;
  int head = work / PARTS, pair = work % PARTS * WIDTH;
  const float *angles = table + positions[blockIdx.x] * 2l * HALF + pair;
  ELEMENT *row = x + blockIdx.x * token_stride + head * head_stride;
#if INTERLEAVED
  ELEMENT *low = row + 2 * pair, *high = low + WIDTH;
#else
  ELEMENT *low = row + pair, *high = low + HALF;
#endif
  Pack<ELEMENT, WIDTH> first = load_pack<ELEMENT, WIDTH>(low), second = load_pack<ELEMENT, WIDTH>(high);
#pragma unroll
  for (int i = 0; i < WIDTH; ++i) {
    float cosine = angles[i], sine = angles[HALF + i];
#if INTERLEAVED  // the pairs are neighbors in the two packs as one array
    ELEMENT &a = 2 * i < WIDTH ? first.at[2 * i % WIDTH] : second.at[2 * i % WIDTH];
    ELEMENT &b = 2 * i + 1 < WIDTH ? first.at[(2 * i + 1) % WIDTH] : second.at[(2 * i + 1) % WIDTH];
#else
    ELEMENT &a = first.at[i], &b = second.at[i];
#endif
    float before = to_float(a), after = to_float(b);
    store(&a, before * cosine - after * sine);
    store(&b, after * cosine + before * sine);
  }
  store_pack(low, first);
  store_pack(high, second);
}
