// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out[t, i] = silu(gate_up[t, i]) * gate_up[t, size + i], WIDTH elements a thread.
#include "values.cuh"

KERNEL silu_mul(const ELEMENT *gate_up, long stride, ELEMENT *out, long out_stride, int size) {
  int place = (blockIdx.y * blockDim.x + threadIdx.x) * WIDTH;
  if (place >= size)
    return;
  const ELEMENT *row = gate_up + blockIdx.x * stride + place;
  Pack<ELEMENT, WIDTH> gate = load_pack<ELEMENT, WIDTH>(row), up = load_pack<ELEMENT, WIDTH>(row + size);
#pragma unroll
  for (int i = 0; i < WIDTH; ++i)
    store(&gate.at[i], silu(to_float(gate.at[i])) * to_float(up.at[i]));
  store_pack(out + blockIdx.x * out_stride + place, gate);
}
