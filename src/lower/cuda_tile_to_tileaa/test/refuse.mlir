// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --cuda-tile-to-tileaa --verify-diagnostics --split-input-file

// All of them are reported.
cuda_tile.module @m {
entry @k(%x: tile<i32>) {
  // expected-error @+1 {{cuda_tile.preview$call of the foreign function 'scan' is not lowered to tileaa yet}}
  %0 = preview$call "scan"(%x) {const_args = []} : (tile<i32>) -> (tile<i32>)
  return
}
}

// -----

cuda_tile.module @m {
entry @k(%n: tile<i32>) {
  for %i in (%n to %n, step %n) : tile<i32> {
    // expected-error @+1 {{cuda_tile.preview$call of the foreign function 'scan' is not lowered to tileaa yet}}
    %0 = preview$call "scan"(%n) {const_args = []} : (tile<i32>) -> (tile<i32>)
    continue
  }
  return
}
}
