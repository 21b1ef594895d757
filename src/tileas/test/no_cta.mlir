// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that need the warps of a CTA refuse a function without them.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileaa-to-tileas --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-materialize-async --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-unspecialized-pipeline --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-generate-schedule --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-legalize-atomics --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-allocate-shared --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-insert-barriers --verify-diagnostics
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-to-nvvm --verify-diagnostics

// expected-error@+1 {{'func.func' op has no attribute 'tileas.cta', expected it from tileas-plan-cta}}
func.func @without_cta() attributes {tileaa.kernel} {
  return
}
