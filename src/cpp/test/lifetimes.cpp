// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
// Variables of the device, elements that are chosen when a kernel runs, and the end of objects.
#include <cuda_tile.h>
namespace ct = cuda::tiles;

// CHECK-DAG: global private @{{.*}}calls alignment = 4 <i32: 3> : tile<1xi32>
// CHECK-DAG: global @counter alignment = 4 <i32: 5> : tile<1xi32>
// CHECK-DAG: global @table alignment = 4 <f32: [1.000000e+00, 2.000000e+00]> : tile<2xf32>
// CHECK-DAG: global @pair alignment = 4 <i8: [7, 0, 0, 0, 0, 0, 0, 63]> : tile<8xi8>
__tile__ int counter = 5;
__tile__ float table[2] = {1, 2};
struct Pair { int a; float b; };
__tile__ Pair pair{7, 0.5f};

// CHECK-LABEL: entry @variables(
// CHECK: get_global @counter
// CHECK: %[[STORED:.*]] = store_ptr_tko weak
// CHECK: load_ptr_tko weak {{.*}} token=
extern "C" __tile_global__ void variables(int *p, float *q, int i) {
  static int calls = 3;
  calls += 1;
  counter += i;
  p[0] = counter + calls + pair.a;
  q[0] = table[i] + pair.b;
}

// CHECK-LABEL: entry @chosen(
// CHECK: cmpi equal
// CHECK: select
// CHECK-NOT: alloca
extern "C" __tile_global__ void chosen(int *p, int n) {
  int local[3] = {10, 20, 30};
  local[n] += 5;
  for (int i = 0; i < n; ++i)
    local[i % 3] += i;
  p[0] = local[0] + local[n];
}

struct Guard {
  int *p;
  __tile__ Guard(int *p) : p(p) { *p = 1; }
  __tile__ ~Guard() { *p = 2; }
};

// Each way out of a scope ends its objects, the last one first.
// CHECK-LABEL: entry @ends(
// CHECK-DAG: %[[ONE:.*]] = constant <i32: 1>
// CHECK-DAG: %[[TWO:.*]] = constant <i32: 2>
// CHECK: store_ptr_tko weak %arg0, %[[ONE]]
// CHECK: if
// CHECK: store_ptr_tko weak %arg0, %[[TWO]]
// CHECK: return
// CHECK: store_ptr_tko weak %[[NEXT:[0-9a-z_]+]], %[[ONE]]
// CHECK: store_ptr_tko weak %[[NEXT]], %[[TWO]]
// CHECK: store_ptr_tko weak %arg0, %[[TWO]]
extern "C" __tile_global__ void ends(int *p, int n) {
  Guard first(p);
  if (n > 3)
    return;
  Guard second(p + 1);
}
