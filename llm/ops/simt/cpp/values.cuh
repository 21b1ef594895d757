// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions, 16-byte accesses and reductions that kernels share.
#pragma once
#include "ptx.cuh"

constexpr unsigned FULL = 0xFFFFFFFFu;

DEVICE float to_float(float value) { return value; }
DEVICE float to_float(bf16 value) { return __uint_as_float(static_cast<unsigned>(value.bits) << 16); }
DEVICE void store(float *target, float value) { *target = value; }
DEVICE void store(bf16 *target, float value) { target->bits = static_cast<unsigned short>(pack_bf16(value, 0.0f)); }

// Two neighbors, of which the first one has an even place in memory that begins at 8 bytes.
DEVICE void store_pair(float *target, float first, float second) {
  *reinterpret_cast<float2 *>(target) = make_float2(first, second);
}
DEVICE void store_pair(bf16 *target, float first, float second) {
  *reinterpret_cast<unsigned *>(target) = pack_bf16(first, second);
}

// N neighbors that one access moves.
template <class T, int N> struct __align__(sizeof(T) * N) Pack {
  T at[N];
};

template <class T, int N> DEVICE Pack<T, N> load_pack(const T *source) {
  return *reinterpret_cast<const Pack<T, N> *>(source);
}

template <class T, int N> DEVICE void store_pack(T *target, const Pack<T, N> &pack) {
  *reinterpret_cast<Pack<T, N> *>(target) = pack;
}

DEVICE int divide_up(int value, int by) { return (value + by - 1) / by; }

DEVICE float sum_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2)
    value += __shfl_xor_sync(FULL, value, step);
  return value;
}

// The sum over all threads of a block, in every thread; `partial` has 32 places, free again after a barrier.
DEVICE float sum_of_block(float value, float *partial) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  value = sum_of_warp(value);
  if (lane == 0)
    partial[warp] = value;
  __syncthreads();
  return sum_of_warp(lane < warps ? partial[lane] : 0.0f);
}

DEVICE float silu(float x) { return x / (1.0f + __expf(-x)); }

// The nearest f8e4m3, as f32, of a number of at most 448: three bits after the first one, down to multiples of 2^-9.
DEVICE float round_to_fp8(float x) {
  if (fabsf(x) < 0x1p-6f)
    return rintf(x * 512.0f) / 512.0f;
  unsigned bits = __float_as_uint(x);
  return __uint_as_float((bits + 0x7FFFFu + (bits >> 20 & 1u)) & 0xFFF00000u);
}
