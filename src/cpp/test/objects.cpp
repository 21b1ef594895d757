// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-c++ --emit=cuda_tile %s | FileCheck %s
#include <cuda_tile.h>
namespace ct = cuda::tiles;

struct Point {
  int x = 1;
  float y;
  __tile__ Point(float y) : y(y) {}
  __tile__ float sum() const { return x + y; }
};
struct Named : Point {
  int name;
  __tile__ Named(float y, int name) : Point(y), name(name) {}
};

// Nothing is left of classes, references and lambdas.
// CHECK-LABEL: entry @classes(
// CHECK: %[[X:.*]] = itof %{{.*}} signed {{.*}} -> tile<f32>
// CHECK: %[[SUM:.*]] = addf %[[X]], %arg1
// CHECK: addf %[[SUM]]
extern "C" __tile_global__ void classes(float *p, float y, int n) {
  Named object(y, 7);
  auto add = [&](float more) {
    object.x += n;
    return object.sum() + more;
  };
  *p = add(2);
}

struct Scaled {
  float by;
  int count;
  __tile__ float of(float x) {
    auto times = [this](float y) { return by * y; };
    auto more = [*this, x]() { return x - by; };
    by = 3;
    ++count;
    return times(x) / more();
  }
};

// A lambda has the object around it, or a copy from when it was made.
// CHECK-LABEL: entry @captures(
// CHECK-DAG: %[[THREE:.*]] = constant <f32: 3.000000e+00>
// CHECK-DAG: %[[TWO:.*]] = constant <f32: 2.000000e+00>
// CHECK: mulf %[[THREE]], %arg1
// CHECK: subf %arg1, %[[TWO]]
extern "C" __tile_global__ void captures(float *p, float x) {
  Scaled object(2.0f, 1);
  *p = object.of(x) + object.count;
}

// CHECK-LABEL: entry @arrays(
// CHECK-COUNT-3: addf
// CHECK-NOT: addf
extern "C" __tile_global__ void arrays(float *p) {
  using T = ct::tile<float, ct::shape<8>>;
  auto at = p + ct::iota<ct::tile<int, ct::shape<8>>>();
  T tiles[3];
  for (int i = 0; i < 3; ++i)
    tiles[i] = ct::load(at + i * 8);
  T sum = ct::ones<T>();
  for (const T &tile : tiles)
    sum = sum + tile;
  ct::store(at, sum);
}

// CHECK-LABEL: entry @bindings(
// CHECK: get_tile_block_id
extern "C" __tile_global__ void bindings(unsigned *p) {
  auto [x, y, z] = ct::bid();
  p[0] = x + y + z;
}
