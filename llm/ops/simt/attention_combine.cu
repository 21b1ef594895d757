// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of a head and request from those of the parts of its keys [requests, heads, splits, DV + 2], each with its
// maximum (of powers of 2) and sum at the end. A block per head and request.
#include "values.cuh"

KERNEL attention_combine(const float *parts, int splits, bf16 *out, long out_token, long out_head) {
  parts += (blockIdx.y * static_cast<long>(gridDim.x) + blockIdx.x) * splits * (DV + 2);
  out += blockIdx.y * out_token + blockIdx.x * out_head;
  float highest = parts[DV];
  for (int split = 1; split < splits; ++split)
    highest = fmaxf(highest, parts[split * (DV + 2) + DV]);
  for (int place = threadIdx.x; place < DV; place += blockDim.x) {
    float total = 0.0f, sum = 0.0f;
    for (int split = 0; split < splits; ++split) {
      const float *part = parts + split * (DV + 2);
      float factor = exp2f(part[DV] - highest);
      total += factor * part[place];
      sum += factor * part[DV + 1];
    }
    store(out + place, total / sum);
  }
}
