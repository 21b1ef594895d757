// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked mode knows the memory of tilewright::vector; -g has the kernels as Tile IR, which it interprets.
// RUN: tilewright-c++ -g %s -o %t && %t | FileCheck %s --check-prefix=PLAIN
// RUN: env TILEWRIGHT_CHECK=1 %t | FileCheck %s --match-full-lines
// RUN: tilewright-c++ %s -o %t && env TILEWRIGHT_CHECK=1 %t | FileCheck %s --check-prefix=NONE
#include <cstdio>
#include <cuda_tile.h>
#include <tilewright/launch.h>

namespace ct = cuda::tiles;

__tile_global__ void copy(const float *from, float *to) {
  auto i = ct::iota<ct::tile<int, ct::shape<8>>>() + int(ct::bid().x) * 8;
  ct::store(to + i, ct::load(from + i));
}

void run(const float *from, float *to, int blocks) {
  try {
    copy<<<blocks>>>(from, to);
    tilewright::synchronize();
    std::printf("done\n");
  } catch (const tilewright::Error &error) {
    std::printf("%s\n", error.what());
  }
}

int main() {
  tilewright::vector<float> from(16), to(12);
  float other[16] = {};
  // PLAIN: done
  // CHECK: done
  // NONE: kernel 'copy(float const*, float*)' has no code for the interpreter, but for cpu; --tile-targets
  run(from.data(), to.data(), 1);
  // PLAIN-NEXT: done
  // CHECK-NEXT: {{.*}}checked.cpp:14:3: error: this store writes %arg1[12], but %arg1 has 12 elements, in {{.*}}
  run(from.data(), to.data(), 2);
  // CHECK: parameter 0 of the kernel points to other memory than that of tilewright::vector, which checked mode expects
  run(other, to.data(), 1);
  return 0;
}
