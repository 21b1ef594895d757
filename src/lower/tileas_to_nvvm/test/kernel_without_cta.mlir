// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of a kernel are those of its CTA.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --nvidia-kernel-entry --verify-diagnostics

// expected-error@+1 {{'llvm.func' op has no attribute 'tileas.cta', expected it from tileas-plan-cta}}
llvm.func @without_cta() attributes {tileaa.kernel} {
  llvm.return
}
