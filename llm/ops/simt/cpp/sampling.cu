// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A token drawn from each row of logits, cut by top-k, top-p and min-p: a block per row.
//
// Tokens by falling logit are kept up to one of top-k and top-p. The last of them is found digit by digit of its key
// (the bits of the f32 in the order of numbers): histograms in shared memory count the tokens of each digit and add
// their probabilities, as integers so that the order of threads does not matter. The draw is the largest of logits plus
// noise of Gumbel's distribution.
#include "values.cuh"

constexpr int THREADS = 1024, BINS = 2048;
constexpr float MASS_ONE = 0x1p40f;  // of the most probable token
constexpr float LOWEST = -3.4028235e38f;
typedef unsigned long long Mass;

// The best token so far: of equal scores the first one.
struct Best {
  float score;
  int place;
};

DEVICE Best better(Best a, Best b) {
  return b.score > a.score || (b.score == a.score && b.place < a.place) ? b : a;
}

DEVICE Best best_of_block(Best best, Best *partial) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int pass = 0; pass < 2; ++pass) {
    for (int step = 16; step > 0; step /= 2)
      best = better(best, {__shfl_xor_sync(FULL, best.score, step), __shfl_xor_sync(FULL, best.place, step)});
    if (pass == 0) {
      __syncthreads();
      if (lane == 0)
        partial[warp] = best;
      __syncthreads();
      best = partial[lane];
    }
  }
  return best;
}

DEVICE unsigned key_of(float value) {
  unsigned bits = __float_as_uint(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

DEVICE float value_of(unsigned key) { return __uint_as_float(key & 0x80000000u ? key & 0x7FFFFFFFu : ~key); }

// Spreads every bit over all 32.
DEVICE unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x7FEB352Du;
  x = (x ^ x >> 15) * 0x846CA68Bu;
  return x ^ x >> 16;
}

DEVICE float noise(unsigned stream, int place) {
  float uniform = ((mix(stream ^ mix(place)) >> 9) + 0.5f) * 0x1p-23f;
  return -logf(-logf(uniform));
}

DEVICE Mass mass_of(float scaled, float highest) {
  return static_cast<Mass>(rintf(expf(scaled - highest) * MASS_ONE));
}

// visit(logit, place) for all places of a row, whose loads wait for each other in groups only.
template <class Visit> DEVICE void for_row(const float *row, int size, Visit visit) {
  constexpr int GROUP = 8;
  for (int start = threadIdx.x; start < size; start += GROUP * THREADS) {
    float values[GROUP];
#pragma unroll
    for (int i = 0; i < GROUP; ++i)
      values[i] = row[min(start + i * THREADS, size - 1)];
#pragma unroll
    for (int i = 0; i < GROUP; ++i)
      if (start + i * THREADS < size)
        visit(values[i], start + i * THREADS);
  }
}

struct Histogram {
  unsigned count[BINS], low[BINS], high[BINS];  // a mass is added in two halves, for which there is an atomic each

  DEVICE void clear() {
    for (int bin = threadIdx.x; bin < BINS; bin += THREADS)
      count[bin] = low[bin] = high[bin] = 0;
  }

  DEVICE void add(unsigned bin, Mass mass) {
    unsigned part = static_cast<unsigned>(mass), before = atomicAdd(&low[bin], part);
    unsigned rest = static_cast<unsigned>(mass >> 32) + (before + part < before);
    if (rest)
      atomicAdd(&high[bin], rest);
    atomicAdd(&count[bin], 1u);
  }

  DEVICE Mass mass(int bin) const { return static_cast<Mass>(high[bin]) << 32 | low[bin]; }
};

// What is kept: all of larger keys than `key` and, of that one, the first `room`.
struct Cut {
  unsigned key, count, equal, room;
  Mass mass;
};

// Warp 0 finds the digit in which `most` tokens or the mass `limit` are reached, and adds what is above it to the cut;
// false if neither is.
DEVICE bool find_digit(const Histogram &histogram, Cut &cut, unsigned &digit, unsigned most, Mass limit) {
  constexpr int EACH = BINS / 32;
  int lane = threadIdx.x % 32, top = BINS - 1 - lane * EACH;
  unsigned count = 0;
  Mass mass = 0;
  for (int i = 0; i < EACH; ++i) {
    count += histogram.count[top - i];
    mass += histogram.mass(top - i);
  }
  unsigned counts = count;
  Mass masses = mass;
  for (int step = 1; step < 32; step *= 2) {
    unsigned more = __shfl_up_sync(FULL, counts, step);
    Mass heavier = __shfl_up_sync(FULL, masses, step);
    if (lane >= step) {
      counts += more;
      masses += heavier;
    }
  }
  unsigned reached = __ballot_sync(FULL, cut.count + counts >= most || cut.mass + masses >= limit);
  if (!reached)
    return false;
  int owner = __ffs(reached) - 1;
  if (lane == owner) {
    cut.count += counts - count;
    cut.mass += masses - mass;
    for (int bin = top;; --bin) {
      unsigned next = histogram.count[bin];
      if (cut.count + next >= most || cut.mass + histogram.mass(bin) >= limit) {
        digit = bin;
        cut.equal = next;
        break;
      }
      cut.count += next;
      cut.mass += histogram.mass(bin);
    }
  }
  digit = __shfl_sync(FULL, digit, owner);
  cut.count = __shfl_sync(FULL, cut.count, owner);
  cut.mass = __shfl_sync(FULL, cut.mass, owner);
  cut.equal = __shfl_sync(FULL, cut.equal, owner);
  return true;
}

KERNEL sample(const float *logits, long stride, int size, int *out, const float *temperature, const int *top_k,
              const float *top_p, const float *min_p, const long long *seeds, const int *steps) {
  __shared__ Histogram histogram;
  __shared__ Best partial[32];
  __shared__ Mass whole;
  __shared__ Cut shared_cut;
  __shared__ unsigned equal_of_warp[32];
  __shared__ bool shared_reached;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, request = blockIdx.x;
  const float *row = logits + request * stride;

  Best best{LOWEST, 0};
  for_row(row, size, [&](float logit, int place) { best = better(best, {logit, place}); });
  best = best_of_block(best, partial);
  float heat = temperature[request];
  if (heat == 0.0f) {
    if (threadIdx.x == 0)
      out[request] = best.place;
    return;
  }

  float highest = best.score / heat, share = top_p[request];
  unsigned most = top_k[request] > 0 ? top_k[request] : 0xFFFFFFFFu;
  Mass limit = ~0ull;
  if (share < 1.0f) {
    if (threadIdx.x == 0)
      whole = 0;
    __syncthreads();
    Mass sum = 0;
    for_row(row, size, [&](float logit, int) { sum += mass_of(logit / heat, highest); });
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_xor_sync(FULL, sum, step);
    if (lane == 0)
      atomicAdd(&whole, sum);
    __syncthreads();
    limit = static_cast<Mass>(ceil(share * static_cast<double>(whole)));
    limit = limit == 0 ? 1 : limit;  // the most probable token always
  }

  // Keys have digits of 11, 11 and 10 bits.
  Cut cut{};
  bool reached = share < 1.0f || most < static_cast<unsigned>(size);
  for (int number = 0; number < 3 && reached; ++number) {
    int shift = number == 0 ? 21 : number == 1 ? 10 : 0;
    unsigned above = number == 0 ? 0u : number == 1 ? FULL << 21 : FULL << 10;
    histogram.clear();
    __syncthreads();
    for_row(row, size, [&](float logit, int) {
      unsigned key = key_of(logit / heat);
      if ((key & above) == cut.key)
        histogram.add((key & ~above) >> shift, mass_of(logit / heat, highest));
    });
    __syncthreads();
    if (warp == 0) {
      unsigned digit = 0;
      bool found = find_digit(histogram, cut, digit, most, limit);
      if (lane == 0) {
        cut.key |= digit << shift;
        shared_cut = cut;
        shared_reached = found;
      }
    }
    __syncthreads();
    cut = shared_cut;
    reached = shared_reached;
  }
  unsigned room = 0;
  if (reached) {
    Mass each = mass_of(value_of(cut.key), highest);
    room = most - cut.count;
    if (each > 0 && limit != ~0ull)
      room = static_cast<unsigned>(min(static_cast<Mass>(room), (limit - cut.mass + each - 1) / each));
  }

  // Of equal logits at the end those come in that are first.
  bool ordered = reached && room < cut.equal;
  float least = min_p[request];
  unsigned low = static_cast<unsigned>(seeds[request]), high = static_cast<unsigned>(seeds[request] >> 32);
  unsigned stream = mix(mix(low) ^ mix(high ^ 0x9E3779B9u) ^ steps[request] * 0x85EBCA6Bu), earlier = 0;
  Best drawn{LOWEST, best.place};
  for (int start = 0; start < size; start += THREADS) {
    int place = start + threadIdx.x;
    float scaled = place < size ? row[place] / heat : LOWEST;
    unsigned key = key_of(scaled);
    bool equal = ordered && key == cut.key, inside = place < size && (!reached || key >= cut.key);
    if (ordered) {
      unsigned lanes = __ballot_sync(FULL, equal);
      if (lane == 0)
        equal_of_warp[warp] = __popc(lanes);
      __syncthreads();
      unsigned rank = earlier + __popc(lanes & ((1u << lane) - 1));
      for (int other = 0; other < 32; ++other) {
        rank += other < warp ? equal_of_warp[other] : 0;
        earlier += equal_of_warp[other];
      }
      __syncthreads();
      inside = inside && !(equal && rank >= room);
    }
    if (inside && (place == best.place || expf(scaled - highest) >= least))
      drawn = better(drawn, {scaled + noise(stream, place), place});
  }
  drawn = best_of_block(drawn, partial);
  if (threadIdx.x == 0)
    out[request] = drawn.place;
}
