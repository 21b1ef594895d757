// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEAA_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def VerifyTileaaPass : Pass<"verify-tileaa", "mlir::ModuleOp"> {
  let summary = "checks that a module is on the tileaa level and reports everything that is not";
  let description = [{
    Legal are `arith`, `math`, `scf` and `tileaa` operations inside functions with `tileaa.kernel`, on scalars,
    static tensors, tokens and views. Every other operation, and every operand or result of another type, is
    reported with its location. The module is not changed.
  }];
}

#endif
