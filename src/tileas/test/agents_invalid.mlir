// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @one_region_without_warps() {
  // expected-error@+1 {{'tileas.agents' op has warps of 1 and registers of 2 regions: expected some for each of two}}
  tileas.agents warps = [4], registers = [0, 0] {
  }, {
  }
  return
}

// -----

func.func @registers_of_no_step() {
  // expected-error@+1 {{'tileas.agents' op has 100 registers a thread: expected a multiple of 8 from 24 to 256}}
  tileas.agents warps = [8, 4], registers = [216, 100] {
  }, {
  }
  return
}
