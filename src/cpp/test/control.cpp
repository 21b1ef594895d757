// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
#include <cuda_tile.h>
namespace ct = cuda::tiles;

__tile__ int clamp(int x, int low, int high) {
  if (x < low)
    return low;
  if (x > high)
    return high;
  return x;
}

// A function that returns early is nested branches.
// CHECK-LABEL: entry @early(
// CHECK: %[[LESS:.*]] = cmpi less_than %arg1
// CHECK: %[[RESULT:.*]] = if %[[LESS]] -> (tile<i32>) {
// CHECK-NOT: loop
// CHECK: store_ptr_tko weak %{{.*}}, %[[RESULT]]
extern "C" __tile_global__ void early(int *p, int n) { *p = clamp(n, 0, 10); }

// CHECK-LABEL: entry @returns(
// CHECK: if %{{.*}} {
// CHECK-NEXT: return
extern "C" __tile_global__ void returns(int *p, int n) {
  if (n < 0)
    return;
  *p = n;
}

// Loops that count are `for`, with the values that their bodies change.
// CHECK-LABEL: entry @counts(
// CHECK: %[[FOR:.*]]:2 = for %[[I:.*]] in (%{{.*}} to %arg1, step %{{.*}}) : tile<i32> iter_values(%[[SUM:.*]] = %{{.*}}, %[[LAST:.*]] = %{{.*}})
// CHECK: %[[NEXT:.*]] = addi %[[SUM]], %[[I]]
// CHECK: continue %[[NEXT]], %[[I]]
// CHECK: for unsigned
extern "C" __tile_global__ void counts(int *p, int n, unsigned m) {
  int sum = 0, last = -1, unchanged = 5;
  for (int i = 0; i < n; ++i) {
    sum += i;
    last = i;
  }
  for (auto i : ct::irange(0u, m, 4u))
    sum += int(i);
  *p = sum + last + unchanged;
}

// Others are `loop`; a jump out of two loops leaves one after the other.
// CHECK-LABEL: entry @leaves(
// CHECK: loop
// CHECK: loop
// CHECK: break
// CHECK: if
// CHECK: break
__tile__ int find(const int *p, int n, int value) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (p[i * n + j] == value)
        return i;
  return -1;
}
extern "C" __tile_global__ void leaves(int *p, int n) { *p = find(p, n, 3); }

// CHECK-LABEL: entry @constants(
// CHECK-NOT: if
// CHECK-NOT: for
// CHECK: %[[SIX:.*]] = constant <i32: 6> : tile<i32>
// CHECK: store_ptr_tko weak %arg0, %[[SIX]]
template <int N> __tile__ int table() {
  constexpr int numbers[] = {1, 2, 3};
  int sum = 0;
  for (int i = 0; i < N; ++i)
    sum += numbers[i];
  if constexpr (N > 2)
    return sum;
  return -sum;
}
extern "C" __tile_global__ void constants(int *p) { *p = table<3>(); }

// One section of a switch goes on with the next.
// CHECK-LABEL: entry @sections(
// CHECK: cmpi equal
// CHECK: cmpi equal
// CHECK: if
extern "C" __tile_global__ void sections(int *p, int n) {
  switch (n) {
  case 1:
    p[0] = 1;
  case 2:
    p[1] = 2;
    break;
  default:
    p[2] = 3;
  }
}
