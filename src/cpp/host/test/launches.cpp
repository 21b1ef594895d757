// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: cd %t && tilewright-c++ -O1 -Wall -Werror -MD -c main.cpp -o main.o && tilewright-c++ -c other.cpp
// RUN: cd %t && tilewright-c++ main.o other.o -o program && ./program | FileCheck %s
// RUN: FileCheck %s --check-prefix=DEPENDENCIES < %t/main.d
// RUN: cd %t && tilewright-c++ -c -fno-exceptions bad_block.cpp && tilewright-c++ bad_block.o -o bad_block
// RUN: cd %t && not --crash ./bad_block 2>&1 | FileCheck %s --check-prefix=BLOCK

// DEPENDENCIES: main.o:
// DEPENDENCIES-SAME: main.cpp
// DEPENDENCIES: kernels.h
// BLOCK: tilewright: error 1: the block of a launch has 32 x 1 x 1 threads, expected 1: the compiler chooses their
// number

//--- kernels.h
#include <cuda_tile.h>
template <int N, class T> __tile_global__ void fill(T *p, T value) {
  namespace ct = cuda::tiles;
  auto i = ct::iota<ct::tile<int, ct::shape<N>>>() + int(ct::bid().x) * N;
  ct::store(p + i, ct::full<ct::tile<T, ct::shape<N>>>(value));
}
__tile_global__ void negate(float *p, bool really);

//--- other.cpp
#include "kernels.h"
__tile_global__ void negate(float *p, bool really) {
  if (really)
    p[cuda::tiles::bid().x] = -p[cuda::tiles::bid().x];
}

//--- main.cpp
#include "kernels.h"
#include <cassert>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <tilewright/launch.h>

namespace inner2 {
enum class Step { one, two };
template <Step S> __tile__ float next(float x);
template <> __tile__ float next<Step::two>(float x) {
  return x + 2;
}
template <Step S> static __tile_global__ void step(float *p) {
  *p = next<S>(*p);
}
} // namespace inner2
extern "C" __tile_global__ void half(__half *p, __half x) {
  *p = x;
}
__tile_global__ void refused(int n) {
  assert(n == 0);
}

template <int N> void fillAll(tilewright::vector<float> &values, float value) {
  fill<N, float><<<dim3(values.size() / N), 1, 0, nullptr>>>(values.data(), value);
}

int main() {
  tilewright::vector<float> values(64);
  fillAll<16>(values, 1.5f);
  tilewright::synchronize();
  std::printf("%g %g\n", values[0], values[63]); // CHECK: 1.5 1.5
  fill<32><<<2>>>(values.data(), 4.f);           // deduced
  negate<<<2>>>(values.data(), true);
  inner2::step<inner2::Step::two><<<1>>>(values.data());
  tilewright::synchronize();
  std::printf("%g %g %g\n", values[0], values[1], values[63]); // CHECK-NEXT: -2 -4 4
  tilewright::launch(2, fill<8, float>, values.data(), 7);
  tilewright::launch(2, nullptr, negate, values.data(), false);
  auto *kernel = &fill<4, int>;
  tilewright::vector<int> numbers(4);
  kernel<<<1>>>(numbers.data(), 3);
  tilewright::vector<__half> halves(1);
  half<<<1>>>(halves.data(), halves[0]);
  tilewright::synchronize();
  std::printf("%g %g %d\n", values[15], values[16], numbers[3]); // CHECK-NEXT: 7 4 3
  try {
    refused<<<3>>>(1);
    tilewright::synchronize();
  } catch (const tilewright::Error &error) {
    std::printf("%d %s\n", error.status,
                error.what()); // CHECK-NEXT: 8 refused(int): assert failed{{.*}}main.cpp:{{[0-9]+}}:{{.*}}n == 0
  }
  try {
    negate<<<0>>>(values.data(), true);
  } catch (const tilewright::Error &error) {
    std::printf("%d %s\n", error.status,
                error.what()); // CHECK-NEXT: 1 grid extent 0 on axis 0, expected 1 to 2147483647
  }
  // The rest of C++ is as ever.
  std::map<std::string, std::function<int()>> table{{"one", [] { return 1; }}};
  return table["one"]() - 1;
}

//--- bad_block.cpp
#include "kernels.h"
int main() {
  fill<4, int><<<1, 32>>>(nullptr, 1);
}
