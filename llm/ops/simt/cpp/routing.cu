// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CHOSEN best of EXPERTS experts for each token, a warp per token; a lane has every 32nd expert. With GROUPS above 1
// only the experts of the TOP_GROUPS best groups count.
#include "values.cuh"

constexpr int WARPS = 4, ITEMS = (EXPERTS + 31) / 32;
constexpr float LOWEST = -3.4028235e38f;
static_assert(GROUPS <= 32 && CHOSEN <= 32, "a lane has a group, and a chosen expert");

// The place of the largest value, the first of equal ones, in all lanes.
DEVICE int place_of_largest(float value, int place) {
  for (int step = 16; step > 0; step /= 2) {
    float other = __shfl_xor_sync(FULL, value, step);
    int there = __shfl_xor_sync(FULL, place, step);
    if (other > value || (other == value && there < place)) {
      value = other;
      place = there;
    }
  }
  return place;
}

DEVICE void gates(float (&gate)[ITEMS], const float *scores) {
  int lane = threadIdx.x % 32;
  float largest = LOWEST;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    gate[i] = i * 32 + lane < EXPERTS ? scores[i * 32 + lane] : LOWEST;
    largest = fmaxf(largest, gate[i]);
  }
#if SIGMOID
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    gate[i] = 1.0f / (1.0f + expf(-gate[i]));
#else
  float sum = 0.0f;
  for (int step = 16; step > 0; step /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(FULL, largest, step));
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    gate[i] = expf(gate[i] - largest);
    sum += gate[i];
  }
  sum = sum_of_warp(sum);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    gate[i] /= sum;
#endif
}

// Takes the experts outside of the best groups out of the choice.
DEVICE void keep_groups(float (&choice)[ITEMS], float *shared) {
  constexpr int SIZE = EXPERTS / GROUPS;
  int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (i * 32 + lane < EXPERTS)
      shared[i * 32 + lane] = choice[i];
  __syncwarp();
  float first = LOWEST, second = LOWEST;
  if (lane < GROUPS)
    for (int i = 0; i < SIZE; ++i) {
      float value = shared[lane * SIZE + (i + lane) % SIZE];  // lanes begin in different banks
      second = fmaxf(second, fminf(first, value));
      first = fmaxf(first, value);
    }
  float value = lane < GROUPS ? (SIGMOID ? first + second : first) : LOWEST;
  unsigned allowed = 0;
  for (int i = 0; i < TOP_GROUPS; ++i) {
    int group = place_of_largest(value, lane);
    allowed |= 1u << group;
    if (lane == group)
      value = LOWEST;
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i)
    if (i * 32 + lane < EXPERTS && !(allowed >> ((i * 32 + lane) / SIZE) & 1u))
      choice[i] = LOWEST;
}

KERNEL route(const float *scores, long scores_stride, const float *bias, float *weights, long weights_stride, int *ids,
             long ids_stride, int tokens, float scale) {
  __shared__ float shared[WARPS][EXPERTS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, token = blockIdx.x * WARPS + warp;
  if (token >= tokens)
    return;
  float gate[ITEMS], choice[ITEMS];
  gates(gate, scores + token * scores_stride);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    int expert = i * 32 + lane;
    choice[i] = expert < EXPERTS ? gate[i] + (bias ? bias[expert] : 0.0f) : LOWEST;
  }
  if (GROUPS > 1)
    keep_groups(choice, shared[warp]);

  float own = 0.0f, sum = 0.0f;
  int own_id = 0;
  for (int number = 0; number < CHOSEN; ++number) {
    float best = LOWEST;
    int place = EXPERTS;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (choice[i] > best) {
        best = choice[i];
        place = i * 32 + lane;
      }
    place = place_of_largest(best, place);
    float value = 0.0f;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
      if (place == i * 32 + lane) {
        value = gate[i];
        choice[i] = LOWEST;
      }
    value = __shfl_sync(FULL, value, place % 32);
    sum += value;
    if (lane == number) {
      own = value;
      own_id = place;
    }
  }
  if (lane < CHOSEN) {
    weights[token * weights_stride + lane] = (NORMALIZE ? own / (sum + 1e-20f) : own) * scale;
    ids[token * ids_stride + lane] = own_id;
  }
}
