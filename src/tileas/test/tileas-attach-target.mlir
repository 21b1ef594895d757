// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The architecture and the launch ABI of a module are one attribute of it.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90 | FileCheck %s
// RUN: tilewright-opt %s --tileas-attach-target='arch=sm_80 abi=portable' | FileCheck %s --check-prefix=PORTABLE
// The same target again changes nothing, another one is refused.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_90a --tileas-attach-target=arch=sm_90 | FileCheck %s
// RUN: not tilewright-opt %s --tileas-attach-target=arch=sm_90 --tileas-attach-target=arch=sm_100 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tilewright-opt %s --tileas-attach-target=arch=sm_1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// A pass that looks at the architecture says so where there is none.
// RUN: not tilewright-opt %s --tileas-allocate-shared 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {tileas.target = #tileas.target<"sm_90a">}
// PORTABLE: module attributes {tileas.target = #tileas.target<"sm_80", abi = portable>}
// OTHER: error: is for #tileas.target<"sm_90a">, and is to be compiled for #tileas.target<"sm_100a">: compile its source anew for another target
// UNKNOWN: error: unknown NVIDIA architecture 'sm_1', expected one of sm_
// NONE: error: 'func.func' op is of a module without tileas.target, expected it from tileas-attach-target
func.func @f() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  return
}
