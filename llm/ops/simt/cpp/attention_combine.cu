// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of a head and request from those of the parts of its keys [requests, heads, splits, DV + 2], each with its
// maximum (of powers of 2) and sum at the end. A block per head and request; its warps take turns at the parts, so that
// few loads wait for each other, and a lane has two of every 64 elements.
#include "values.cuh"

constexpr int WARPS = 8, MOST_PARTS = 128, ITEMS = (DV + 63) / 64;

KERNEL attention_combine(const float *parts, int splits, bf16 *out, long out_token, long out_head) {
  __shared__ float factors[MOST_PARTS], partial[32], totals[WARPS][ITEMS * 64];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  parts += (blockIdx.y * static_cast<long>(gridDim.x) + blockIdx.x) * splits * (DV + 2);
  out += blockIdx.y * out_token + blockIdx.x * out_head;

  // Every warp finds the largest maximum; the threads of the first ones have a part each.
  float highest = parts[DV];
  for (int split = lane; split < splits; split += 32)
    highest = fmaxf(highest, parts[split * (DV + 2) + DV]);
  for (int step = 16; step > 0; step /= 2)
    highest = fmaxf(highest, __shfl_xor_sync(FULL, highest, step));
  float sum = 0.0f;
  if (threadIdx.x < splits) {
    const float *part = parts + threadIdx.x * (DV + 2) + DV;
    factors[threadIdx.x] = exp2f(part[0] - highest);
    sum = factors[threadIdx.x] * part[1];
  }
  sum = sum_of_block(sum, partial);

  float total[ITEMS][2] = {};
#pragma unroll 4
  for (int split = warp; split < splits; split += WARPS)
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      int place = i * 64 + lane * 2;
      if (place < DV) {
        float2 pair = *reinterpret_cast<const float2 *>(parts + split * (DV + 2) + place);
        total[i][0] += factors[split] * pair.x;
        total[i][1] += factors[split] * pair.y;
      }
    }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    store_pair(&totals[warp][i * 64 + lane * 2], total[i][0], total[i][1]);
  __syncthreads();
  for (int place = threadIdx.x; place < DV; place += 32 * WARPS) {
    float value = 0.0f;
    for (int other = 0; other < WARPS; ++other)
      value += totals[other][place];
    store(out + place, value / sum);
  }
}
