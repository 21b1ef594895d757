// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program has code for several targets, and says which where none of them is this machine.
// RUN: tilewright-c++ --tile-targets=cpu:x86-64-v2,cpu,tilebc %s -o %t && %t | FileCheck %s
// RUN: env TILEWRIGHT_TARGET=interpreter %t | FileCheck %s
// RUN: env TILEWRIGHT_TARGET=tileas:sm_90 %t | FileCheck %s
// RUN: tilewright-c++ --tile-targets=cpu:aarch64,cpu:x86-64-v3 %s -o %t
// RUN: env TILEWRIGHT_TARGET=nvidia not %t 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tilewright-c++ --tile-targets=cpu,sm_11 %s -o %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-c++ --tile-targets=cpu,, %s -o %t 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tilewright-c++ -c %s %s -o %t 2>&1 | FileCheck %s --check-prefix=TWICE

// The decisions about kernels are told when they are asked for.
// RUN: tilewright-c++ --tile-targets=sm_90 -c %S/../../../../examples/cpp/gemm.cpp -o %t.o 2>&1 | count 0
// RUN: tilewright-c++ --tile-targets=sm_90 -Rtile -c %S/../../../../examples/cpp/gemm.cpp -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A level of a program's kernels has the instances that it launches.
// RUN: tilewright-c++ --emit=cuda_tile %S/../../../../examples/cpp/gemm.cpp | FileCheck %s --check-prefix=LEVEL

// LEVEL: entry @_Z4gemmILi64ELi64ELi32EEvPKfS1_Pfiii
// REMARK: gemm.cpp:19:12: remark: is not stored by the tensor memory accelerator
// CHECK: 42
// MISSING: kernel 'answer(int*)' has no code for the target nvidia, but for cpu:aarch64, cpu:x86-64-v3; --tile-t
//
// UNKNOWN: tilewright-c++: error: for sm_11: {{.*}}sm_11
//
// EMPTY: --tile-targets is 'cpu,,', expected targets with commas between
//
// TWICE: -c with -o expects one source, found 2
#include <cstdio>
#include <cuda_tile.h>
#include <tilewright/launch.h>

__tile_global__ void answer(int *p) {
  *p = 42;
}

int main() {
  try {
    tilewright::vector<int> values(1);
    answer<<<1>>>(values.data());
    tilewright::synchronize();
    std::printf("%d\n", values[0]);
  } catch (const tilewright::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
