// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable that the condition of a loop declares: another one in each iteration.
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
#include <cuda_tile.h>

// CHECK-LABEL: entry @_Z10with_whilePii(
// CHECK: loop iter_values(%[[SUM:.*]] = %{{.*}}) : tile<i32> -> tile<i32> {
// CHECK-NEXT: %[[LEFT:.*]] = subi %arg1, %[[SUM]]
// CHECK-NEXT: %[[GOES:.*]] = cmpi not_equal %[[LEFT]], %{{.*}}
// CHECK-NEXT: if %[[GOES]] -> (tile<i32>) {
// CHECK: continue
// CHECK: } else {
// CHECK-NEXT: break %[[SUM]]
__tile_global__ void with_while(int *p, int n) {
  int sum = 0;
  while (int left = n - sum) {
    if (left == 7) {
      sum += 2;
      continue;
    }
    sum += 1;
  }
  *p = sum;
}

// CHECK-LABEL: entry @_Z8with_forPii(
// CHECK: loop iter_values(%[[SUM:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}})
// CHECK-NEXT: %[[LEFT:.*]] = subi %arg1, %[[I]]
// CHECK: addi %[[SUM]], %[[LEFT]]
// CHECK: } else {
// CHECK-NEXT: break %[[SUM]], %[[I]]
// CHECK: addi %[[I]], %{{.*}}
__tile_global__ void with_for(int *p, int n) {
  int sum = 0;
  for (int i = 0; int left = n - i; ++i)
    sum += left;
  *p = sum;
}
