// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out[t] = table[ids[t]]: a block per token and part of the row. ELEMENT is the type, WIDTH the elements of one access.
#include "values.cuh"

KERNEL embedding(const int *ids, const ELEMENT *table, long table_stride, ELEMENT *out, long out_stride, int size) {
  int place = (blockIdx.y * blockDim.x + threadIdx.x) * WIDTH;
  if (place >= size)
    return;
  const ELEMENT *row = table + ids[blockIdx.x] * table_stride;
  store_pack(out + blockIdx.x * out_stride + place, load_pack<ELEMENT, WIDTH>(row + place));
}
