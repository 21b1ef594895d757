// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts the pairs of a token and one of its CHOSEN experts by expert, in one block: order[place] = pair. tiles holds
// {expert, first place, pairs} of at most SIZE pairs of one expert each; those that are not needed have no pairs.
#include "values.cuh"

constexpr int THREADS = 1024;
static_assert(EXPERTS <= THREADS, "a thread has an expert");

KERNEL sort_experts(const int *ids, long ids_stride, int pairs, int *order, int *tiles, int most_tiles) {
  __shared__ int counts[THREADS];
  __shared__ unsigned long long warp_sums[32];
  int expert = threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  auto expert_of = [&](int pair) { return ids[pair / CHOSEN * ids_stride + pair % CHOSEN]; };
  counts[expert] = 0;
  __syncthreads();
  for (int pair = threadIdx.x; pair < pairs; pair += THREADS)
    atomicAdd(&counts[expert_of(pair)], 1);
  __syncthreads();

  // Pairs and, in the high half, tiles of this expert and those before it.
  int count = counts[expert];
  unsigned long long own = static_cast<unsigned long long>(divide_up(count, SIZE)) << 32 | count, sum = own;
  for (int step = 1; step < 32; step *= 2) {
    unsigned long long before = __shfl_up_sync(FULL, sum, step);
    sum += lane >= step ? before : 0;
  }
  if (lane == 31)
    warp_sums[warp] = sum;
  __syncthreads();
  unsigned long long all = 0;
  for (int other = 0; other < 32; ++other) {
    sum += other < warp ? warp_sums[other] : 0;
    all += warp_sums[other];
  }
  int first = static_cast<int>(sum - own & 0xFFFFFFFFu), tile = static_cast<int>(sum - own >> 32);
  counts[expert] = first;  // from now on the place of the next pair
  for (int done = 0; done < count; done += SIZE, ++tile) {
    tiles[3 * tile] = expert;
    tiles[3 * tile + 1] = first + done;
    tiles[3 * tile + 2] = min(SIZE, count - done);
  }
  for (int unused = static_cast<int>(all >> 32) + threadIdx.x; unused < most_tiles; unused += THREADS)
    tiles[3 * unused + 2] = 0;
  __syncthreads();
  for (int pair = threadIdx.x; pair < pairs; pair += THREADS)
    order[atomicAdd(&counts[expert_of(pair)], 1)] = pair;
}
