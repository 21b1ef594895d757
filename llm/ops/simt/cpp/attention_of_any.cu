// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in f32 over a paged cache, for types, strides and sizes that attention.cu does not take: a block per query
// and head. Its warps take turns at the keys, a lane has every 32nd element, and shared memory joins the warps.
#include "flash.cuh"

constexpr int WARPS = 8, K_ITEMS = (D + 31) / 32, V_ITEMS = (DV + 31) / 32;

KERNEL attention_of_any(const ELEMENT *q, long q_token, long q_head, const ELEMENT *cache_k, long k_page, long k_slot, long k_head,
                        const ELEMENT *cache_v, long v_page, long v_slot, long v_head, const int *tables, int table_size,
                        const int *starts, const int *lengths, int requests, ELEMENT *out, long out_token, long out_head,
                        int group, float scale) {
  __shared__ float outputs[WARPS][DV], maxima[WARPS], all_sums[WARPS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, token = blockIdx.x, head = blockIdx.y, request = 0;
  while (request < requests - 1 && token >= starts[request + 1])
    ++request;
  int visible = lengths[request] - (starts[request + 1] - token) + 1;
  cache_k += head / group * k_head;
  cache_v += head / group * v_head;
  tables += request * static_cast<long>(table_size);
  const ELEMENT *from = q + token * q_token + head * q_head;

  float query[K_ITEMS], total[V_ITEMS] = {}, largest = NONE, sum = 0.0f;
#pragma unroll
  for (int i = 0; i < K_ITEMS; ++i)
    query[i] = i * 32 + lane < D ? to_float(from[i * 32 + lane]) * scale : 0.0f;
  for (int key = warp; key < visible; key += WARPS) {
    long page = tables[key / PAGE];
    const ELEMENT *k = cache_k + page * k_page + key % PAGE * k_slot, *v = cache_v + page * v_page + key % PAGE * v_slot;
    float score = 0.0f;
#pragma unroll
    for (int i = 0; i < K_ITEMS; ++i)
      if (i * 32 + lane < D)
        score += query[i] * to_float(k[i * 32 + lane]);
    score = sum_of_warp(score);
    float highest = fmaxf(largest, score), factor = expf(largest - highest), power = expf(score - highest);
    largest = highest;
    sum = sum * factor + power;
#pragma unroll
    for (int i = 0; i < V_ITEMS; ++i)
      if (i * 32 + lane < DV)
        total[i] = total[i] * factor + power * to_float(v[i * 32 + lane]);
  }
#pragma unroll
  for (int i = 0; i < V_ITEMS; ++i)
    if (i * 32 + lane < DV)
      outputs[warp][i * 32 + lane] = total[i];
  if (lane == 0) {
    maxima[warp] = largest;
    all_sums[warp] = sum;
  }
  __syncthreads();
  float highest = NONE, whole = 0.0f, factors[WARPS];
  for (int i = 0; i < WARPS; ++i)
    highest = fmaxf(highest, maxima[i]);
  for (int i = 0; i < WARPS; ++i) {
    factors[i] = expf(maxima[i] - highest);
    whole += factors[i] * all_sums[i];
  }
  ELEMENT *to = out + token * out_token + head * out_head;
  for (int place = threadIdx.x; place < DV; place += 32 * WARPS) {
    float value = 0.0f;
    for (int i = 0; i < WARPS; ++i)
      value += factors[i] * outputs[i][place];
    store(to + place, value / whole);
  }
}
