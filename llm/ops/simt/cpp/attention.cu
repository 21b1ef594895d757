// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention over a paged cache on tensor cores, with the running softmax of FlashAttention.
//
// A tile has 16 WARPS rows, each a query and one of the GROUP heads that share a key-value head, so that keys are read
// once for all of them; a warp has 16 rows. Tiles of KEYS keys and values are in shared memory, the next ones under way.
// With SPLIT every request has one query, and blocks along x have parts of the keys: their sums, maxima and unscaled
// outputs go to `parts` for attention_combine.
#include "flash.cuh"

constexpr int ROWS = 16 * WARPS, THREADS = 32 * WARPS;
constexpr int K_PITCH = D + PADDING, V_PITCH = DV + PADDING;
constexpr float LOG2_E = 1.4426950408889634f;

KERNEL attention(const bf16 *q, long q_token, long q_head, const bf16 *cache_k, long k_page, long k_slot, long k_head,
                 const bf16 *cache_v, long v_page, long v_slot, long v_head, const int *tables, int table_size,
                 const int *starts, const int *lengths, int requests, bf16 *out, long out_token, long out_head,
                 float *parts, float scale) {
  DYNAMIC_SHARED(memory);
  bf16 *k_tiles = reinterpret_cast<bf16 *>(memory), *v_tiles = k_tiles + 2 * KEYS * K_PITCH;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, kv = blockIdx.y;
#if SPLIT
  int request = blockIdx.z, first_row = 0;
#else
  Tile tile = find_tile<ROWS>(blockIdx.x, starts, requests, GROUP);
  if (!tile.found)
    return;
  int request = tile.request, first_row = tile.first;
#endif
  int start = starts[request], length = lengths[request], queries = starts[request + 1] - start;
  int all_rows = queries * GROUP, before = length - queries;
  cache_k += kv * k_head;
  cache_v += kv * v_head;
  tables += request * static_cast<long>(table_size);

  // A lane's two rows: places of their queries among the keys, and operands of q.
  int rows[2], positions[2];
  unsigned query[D / 16][4];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    int row = first_row + warp * 16 + half * 8 + lane / 4;
    rows[half] = row;
    row = min(row, all_rows - 1);
    positions[half] = before + row / GROUP;
    const bf16 *from = q + (start + row / GROUP) * q_token + (kv * GROUP + row % GROUP) * q_head + lane % 4 * 2;
#pragma unroll
    for (int k = 0; k < D / 16; ++k) {
      query[k][half] = *reinterpret_cast<const unsigned *>(from + k * 16);
      query[k][half + 2] = *reinterpret_cast<const unsigned *>(from + k * 16 + 8);
    }
  }
  int last_position = before + min(first_row + ROWS - 1, all_rows - 1) / GROUP;
  int2 keys = make_int2(0, last_position + 1);
#if SPLIT
  keys = part_of_keys(length, blockIdx.x, gridDim.x, KEYS);
#endif

  auto load = [&](int stage, int first_key) {
    for (int item = threadIdx.x; item < KEYS * (D + DV) / 8; item += THREADS) {
      bool value = item >= KEYS * D / 8;
      int place = value ? item - KEYS * D / 8 : item, width = (value ? DV : D) / 8;
      int row = place / width, column = place % width * 8, key = first_key + row;
      bool inside = key < keys.y;
      long page = inside ? tables[key / PAGE] : 0;
      int slot = inside ? key % PAGE : 0;
      if (value)
        copy_async(v_tiles + (stage * KEYS + row) * V_PITCH + column, cache_v + page * v_page + slot * v_slot + column,
                   inside);
      else
        copy_async(k_tiles + (stage * KEYS + row) * K_PITCH + column, cache_k + page * k_page + slot * k_slot + column,
                   inside);
    }
    commit_copies();
  };

  float total[DV / 8][4] = {}, largest[2] = {NONE, NONE}, sums[2] = {};
  if (keys.x < keys.y)
    load(0, keys.x);
  int stage = 0;
  for (int first_key = keys.x; first_key < keys.y; first_key += KEYS, stage ^= 1) {
    wait_copies<0>();
    __syncthreads();  // the tile is there for all, and none reads the other one any more
    if (first_key + KEYS < keys.y)
      load(stage ^ 1, first_key + KEYS);

    float scores[KEYS / 8][4] = {};
    const bf16 *k_tile = k_tiles + stage * KEYS * K_PITCH, *v_tile = v_tiles + stage * KEYS * V_PITCH;
#pragma unroll
    for (int k = 0; k < D / 16; ++k)
#pragma unroll
      for (int n = 0; n < KEYS / 8; n += 2) {
        unsigned columns[4];
        load_columns(columns, k_tile + n * 8 * K_PITCH + k * 16, K_PITCH);
        multiply_add(scores[n], query[k], columns[0], columns[1]);
        multiply_add(scores[n + 1], query[k], columns[2], columns[3]);
      }

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      int visible = min(positions[half] + 1, keys.y) - first_key - lane % 4 * 2;
      float highest = largest[half];
#pragma unroll
      for (int n = 0; n < KEYS / 8; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float &score = scores[n][2 * half + i];
          score = n * 8 + i < visible ? score * (scale * LOG2_E) : NONE;
          highest = fmaxf(highest, score);
        }
      highest = largest_of_row(highest);
      float factor = exp2f(largest[half] - highest), sum = 0.0f;
      largest[half] = highest;
#pragma unroll
      for (int n = 0; n < KEYS / 8; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float &score = scores[n][2 * half + i];
          score = n * 8 + i < visible ? exp2f(score - highest) : 0.0f;
          sum += score;
        }
      sums[half] = sums[half] * factor + sum;
#pragma unroll
      for (int n = 0; n < DV / 8; ++n) {
        total[n][2 * half] *= factor;
        total[n][2 * half + 1] *= factor;
      }
    }

#pragma unroll
    for (int k = 0; k < KEYS / 16; ++k) {
      unsigned weights[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        weights[i] = pack_bf16(scores[2 * k + i / 2][i % 2 * 2], scores[2 * k + i / 2][i % 2 * 2 + 1]);
#pragma unroll
      for (int n = 0; n < DV / 8; n += 2) {
        unsigned columns[4];
        load_columns_of_rows(columns, v_tile + k * 16 * V_PITCH + n * 8, V_PITCH);
        multiply_add(total[n], weights, columns[0], columns[1]);
        multiply_add(total[n + 1], weights, columns[2], columns[3]);
      }
    }
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float sum = sum_of_row(sums[half]);
    int row = rows[half], head = kv * GROUP + row % GROUP;
    if (row >= all_rows)
      continue;
#if SPLIT
    // parts [requests, heads, splits, DV + 2]: output, then maximum and sum.
    long place = (request * static_cast<long>(gridDim.y * GROUP) + head) * gridDim.x + blockIdx.x;
    float *to = parts + place * (DV + 2) + lane % 4 * 2, factor = 1.0f;
    if (lane % 4 == 0) {
      to[DV] = largest[half];
      to[DV + 1] = sum;
    }
#else
    bf16 *to = out + (start + row / GROUP) * out_token + head * out_head + lane % 4 * 2;
    float factor = 1.0f / sum;
#endif
#pragma unroll
    for (int n = 0; n < DV / 8; ++n)
      store_pair(to + n * 8, total[n][2 * half] * factor, total[n][2 * half + 1] * factor);
  }
}
