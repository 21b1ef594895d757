// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cpu-verify-micro-tiles --verify-diagnostics

func.func @whole_tile(%x: vector<128x128xf32>) attributes {tileaa.kernel} {
  // expected-error @below {{'arith.addf' op has a vector of 524288 bits, expected at most 16384}}
  %y = arith.addf %x, %x : vector<128x128xf32>
  // expected-error @below {{'memref.alloc' op allocates in a kernel, expected an offset in scratch}}
  %z = memref.alloc() : memref<64xf32>
  return
}
