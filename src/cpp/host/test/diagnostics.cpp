// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source is parsed for the host and for kernels; each diagnostic is told once.
// RUN: split-file %s %t
// RUN: tilewright-c++ -Wall -c %t/warned.cpp -o %t/warned.o 2>&1 | FileCheck %s --check-prefix=WARNED
// RUN: not tilewright-c++ -c %t/host.cpp -o %t/host.o 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not tilewright-c++ -c %t/kernel.cpp -o %t/kernel.o 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not ls %t/kernel.o
// RUN: tilewright-c++ %t/outside.cpp -o %t/outside && not --crash %t/outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tilewright-c++ -c -MJ %t/commands.json %t/outside.cpp -o %t/outside.o
// RUN: FileCheck %s --check-prefix=COMMANDS < %t/commands.json
// RUN: tilewright-c++ --version | FileCheck %s --check-prefix=VERSION

// WARNED: warned.cpp:3:7: warning: unused variable 'unusedOnHost'
// WARNED-NOT: warning: unused
// WARNED: warned.cpp:7:7: warning: unused variable 'unusedInKernel'
// WARNED-NOT: warning: unused
// HOST: host.cpp:7:17: error: cannot initialize a parameter of type 'float *' with an lvalue of type 'int'
// HOST-NEXT: {{.*}}kernel<<<1>>>(number);
// KERNEL: kernel.cpp:3:8: error: type 'float' cannot be used prior to '::' because it has no members
// KERNEL: 1 error generated
// KERNEL-NOT: generated
// OUTSIDE: an operation on tiles outside of a kernel
// COMMANDS: "file": "{{.*}}outside.cpp"{{.*}}-isystem{{.*}}include/tilewright
// VERSION: clang version 22

//--- warned.cpp
#include <cuda_tile.h>
static inline __tile__ int f() {
  int unusedOnHost;
  return 1;
}
static __tile_global__ void kernel(int *p) {
  int unusedInKernel;
  *p = f();
}
int main() {
  kernel<<<1>>>(nullptr);
}

//--- host.cpp
#include <cuda_tile.h>
__tile_global__ void kernel(float *p) {
  *p = 1;
}
int main() {
  int number = 1;
  kernel<<<1>>>(number);
}

//--- kernel.cpp
#include <cuda_tile.h>
template <class T> __tile_global__ void kernel(T *p) {
  *p = T::nothing;
}
int main() {
  kernel<float><<<1>>>(nullptr);
}

//--- outside.cpp
#include <cuda_tile.h>
namespace ct = cuda::tiles;
__tile__ float one() {
  return float(ct::sum<0>(ct::full<ct::tile<float, ct::shape<1>>>(1.f)));
}
int main() {
  return int(one());
}
