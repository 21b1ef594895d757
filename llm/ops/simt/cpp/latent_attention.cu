// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over a paged cache of latents on tensor cores: all heads share the keys [D], whose first DV elements are
// the values, so that one tile in shared memory serves both products.
//
// A tile has 64 rows, each a query and a head. For the scores a warp has 16 rows and its share of the KEYS keys, for the
// output all rows and DV / WARPS columns, since 64 x DV sums fit into registers only this way; scores and maxima change
// hands in shared memory. SPLIT as in attention.cu.
#include "flash.cuh"

constexpr int ROWS = 64, SHARES = WARPS / 4, KEYS = 32;
constexpr int PITCH = D + PADDING, WEIGHT_PITCH = KEYS + PADDING;
constexpr int SCORES = KEYS / SHARES / 8, N = DV / WARPS / 8;
constexpr float LOG2_E = 1.4426950408889634f;

KERNEL latent_attention(const bf16 *q, long q_token, long q_head, const bf16 *cache, long page_stride, long slot_stride,
                        const int *tables, int table_size, const int *starts, const int *lengths, int requests,
                        bf16 *out, long out_token, long out_head, float *parts, int heads, float scale) {
  DYNAMIC_SHARED(memory);
  bf16 *queries = reinterpret_cast<bf16 *>(memory), *tiles = queries + ROWS * PITCH, *weights = tiles + 2 * KEYS * PITCH;
  __shared__ float maxima[SHARES][ROWS], all_sums[SHARES][ROWS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q2 = lane % 4 * 2;
  int own = warp % 4 * 16, share = warp / 4;
#if SPLIT
  int request = blockIdx.z, first_row = blockIdx.y * ROWS;
#else
  Tile found = find_tile<ROWS>(blockIdx.x, starts, requests, heads);
  if (!found.found)
    return;
  int request = found.request, first_row = found.first;
#endif
  int start = starts[request], length = lengths[request], count = starts[request + 1] - start;
  int all_rows = count * heads, before = length - count;
  int2 keys = make_int2(0, before + min(first_row + ROWS - 1, all_rows - 1) / heads + 1);
#if SPLIT
  keys = part_of_keys(length, blockIdx.x, gridDim.x, KEYS);
#endif
  tables += request * static_cast<long>(table_size);

  for (int row = warp; row < ROWS; row += WARPS) {
    int flat = min(first_row + row, all_rows - 1);
    const bf16 *from = q + (start + flat / heads) * q_token + flat % heads * q_head;
    for (int column = lane * 8; column < D; column += 256)
      copy_async(queries + row * PITCH + column, from + column, true);
  }
  auto load = [&](int stage, int first_key) {
    for (int row = warp; row < KEYS; row += WARPS) {
      int key = first_key + row;
      bool inside = key < keys.y;
      const bf16 *from = cache;
      if (inside)
        from += tables[key / PAGE] * page_stride + key % PAGE * slot_stride;
      for (int column = lane * 8; column < D; column += 256)
        copy_async(tiles + (stage * KEYS + row) * PITCH + column, from + column, inside);
    }
    commit_copies();
  };

  float total[4][N][4] = {}, largest[4][2], sums[2] = {};
  int positions[2];
#pragma unroll
  for (int half = 0; half < 2; ++half)
    positions[half] = before + min(first_row + own + half * 8 + g, all_rows - 1) / heads;
#pragma unroll
  for (int m = 0; m < 4; ++m)
    largest[m][0] = largest[m][1] = NONE;
  load(0, keys.x);
  int stage = 0;
  for (int first_key = keys.x; first_key < keys.y; first_key += KEYS, stage ^= 1) {
    wait_copies<0>();
    __syncthreads();  // the tile is there for all, and none reads the other one and the weights any more
    if (first_key + KEYS < keys.y)
      load(stage ^ 1, first_key + KEYS);
    const bf16 *tile = tiles + stage * KEYS * PITCH;
    float scores[1][SCORES][4] = {};
    multiply_tiles<D, false>(scores, queries + own * PITCH, PITCH, tile + share * (KEYS / SHARES) * PITCH, PITCH);

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int visible = min(positions[half] + 1, keys.y) - first_key - share * (KEYS / SHARES) - q2;
      float highest = NONE;
#pragma unroll
      for (int n = 0; n < SCORES; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float &score = scores[0][n][2 * half + i];
          score = n * 8 + i < visible ? score * (scale * LOG2_E) : NONE;
          highest = fmaxf(highest, score);
        }
      highest = largest_of_row(highest);
      if (lane % 4 == 0)
        maxima[share][own + half * 8 + g] = highest;
    }
    __syncthreads();

    // Every warp rescales its columns of all rows; for its own rows it makes weights of the scores.
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int row = m * 16 + half * 8 + g;
        float highest = largest[m][half];
        for (int other = 0; other < SHARES; ++other)
          highest = fmaxf(highest, maxima[other][row]);
        float factor = exp2f(largest[m][half] - highest);
        largest[m][half] = highest;
#pragma unroll
        for (int n = 0; n < N; ++n) {
          total[m][n][2 * half] *= factor;
          total[m][n][2 * half + 1] *= factor;
        }
        if (m * 16 != own)
          continue;
        int visible = min(positions[half] + 1, keys.y) - first_key - share * (KEYS / SHARES) - q2;
        sums[half] *= factor;
#pragma unroll
        for (int n = 0; n < SCORES; ++n) {
          float pair[2];
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            pair[i] = n * 8 + i < visible ? exp2f(scores[0][n][2 * half + i] - highest) : 0.0f;
            sums[half] += pair[i];
          }
          store_pair(weights + row * WEIGHT_PITCH + share * (KEYS / SHARES) + n * 8 + q2, pair[0], pair[1]);
        }
      }
    __syncthreads();
    multiply_tiles<KEYS, true>(total, weights, WEIGHT_PITCH, tile + warp * N * 8, PITCH);
  }

  wait_copies<0>();  // of a part without keys
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = sum_of_row(sums[half]);
    if (lane % 4 == 0)
      all_sums[share][own + half * 8 + g] = sum;
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 4; ++m)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int local = m * 16 + half * 8 + g, row = first_row + local, head = row % heads;
      if (row >= all_rows)
        continue;
      float sum = 0.0f;
      for (int other = 0; other < SHARES; ++other)
        sum += all_sums[other][local];
#if SPLIT
      long place = (request * static_cast<long>(heads) + head) * gridDim.x + blockIdx.x;
      float *to = parts + place * (DV + 2), factor = 1.0f;
      if (threadIdx.x % 4 == 0 && warp == 0) {
        to[DV] = largest[m][half];
        to[DV + 1] = sum;
      }
#else
      bf16 *to = out + (start + row / heads) * out_token + head * out_head;
      float factor = 1.0f / sum;
#endif
#pragma unroll
      for (int n = 0; n < N; ++n)
        store_pair(to + warp * N * 8 + n * 8 + q2, total[m][n][2 * half] * factor, total[m][n][2 * half + 1] * factor);
    }
}
