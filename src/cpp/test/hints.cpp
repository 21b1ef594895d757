// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: tilewright-c++ --emit=cuda_tile %t/main.cpp -I%t -I%t/toolkit 2>%t/warnings | FileCheck %t/main.cpp
// RUN: FileCheck %t/main.cpp --check-prefix=WARN --input-file=%t/warnings

//--- toolkit/cuda_tile.h
#error our own header comes first

//--- kernels.h
// A file that is included has hints, too.
template <int N>
[[cutile::hint(0, occupancy = 2), cutile::hint(900, num_cta_in_cga = N)]] __tile_global__ void k(float *a, int n);

//--- main.cpp
#include <cuda_tile.h>
#include "kernels.h"
namespace ct = cuda::tiles;
#define LATENCY 3
using T = ct::tile<int, ct::shape<8>>;
__tile__ auto read(float *p) { return ct::load(p + ct::iota<T>()); }

// CHECK-LABEL: entry @_Z1kILi4EEvPfi(
// CHECK-SAME: optimization_hints=<default = {occupancy = 2}, sm_90 = {num_cta_in_cga = 4}>
template <int N> __tile_global__ void k(float *a, int n) {
  auto p = a + ct::iota<T>();
  // CHECK: load_ptr_tko {{.*}} optimization_hints = <default = {latency = 3}>
  [[cutile::hint(0, latency = LATENCY)]] auto x = ct::load(p);
  ct::partition_view v{ct::tensor_span{a, ct::extents{n}}, ct::shape<8>{}};
  // CHECK: store_view_tko {{.*}} optimization_hints = <sm_100 = {latency = 3}, sm_90 = {allow_tma = false, latency = 4}>
  [[using cutile: hint(900, allow_tma = false, latency = N), hint(1000, latency = 2 + 1)]] v.store(x, 3);
  // The load is in another function; pointers have nothing to do with TMA.
  // CHECK: load_ptr_tko
  // CHECK-NOT: hints
  // CHECK: store_ptr_tko {{.*}} optimization_hints = <default = {latency = 5}>
  [[cutile::hint(0, latency = 5, allow_tma = true)]] ct::store(p, read(a));
  // WARN: main.cpp:[[#@LINE+1]]:5: warning: the hint 'latency' has the value 99, expected an integer from 1 to 10; it has no effect
  [[cutile::hint(0, latency = 99)]] ct::store(p, x);
  // WARN: warning: the hint 'nothing' is not known
  [[cutile::hint(0, nothing = 9)]] ct::store(p, x);
  // WARN: warning: the architecture 77 of this hint is not known
  [[cutile::hint(77, latency = 9)]] ct::store(p, x);
  // WARN: warning: the hint 'occupancy' belongs to the declaration of a kernel
  [[cutile::hint(0, occupancy = 9)]] ct::store(p, x);
  // WARN: warning: the hint 'latency' stands here twice; the last one counts
  [[cutile::hint(0, latency = 1), cutile::hint(0, latency = 2)]] ct::store(p, x);
  // WARN: warning: hints belong to an expression, a declaration, a return or a kernel
  [[cutile::hint(0, latency = 1)]] { ct::store(p, x); }
}
template __tile_global__ void k<4>(float *, int);
