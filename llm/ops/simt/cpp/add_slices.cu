// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out [rows, columns] = the sum of f32 slices [slices, rows, columns], four elements a thread.
#include "values.cuh"

KERNEL add_slices(const float *parts, int slices, OUT *out, long out_stride, int columns) {
  int column = (blockIdx.y * blockDim.x + threadIdx.x) * 4;
  if (column >= columns)
    return;
  const float *from = parts + blockIdx.x * static_cast<long>(columns) + column;
  float total[4] = {};
  for (int slice = 0; slice < slices; ++slice) {
    float4 values = *reinterpret_cast<const float4 *>(from + slice * static_cast<long>(columns) * gridDim.x);
    total[0] += values.x;
    total[1] += values.y;
    total[2] += values.z;
    total[3] += values.w;
  }
  OUT *to = out + blockIdx.x * out_stride + column;
  store_pair(to, total[0], total[1]);
  store_pair(to + 2, total[2], total[3]);
}
