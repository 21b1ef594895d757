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

def LegalizeScanPass : Pass<"tileaa-legalize-scan", "mlir::func::FuncOp"> {
  let summary = "turns scans into loops over slices";
  let description = [{
    Each `tileaa.scan` becomes an `scf.for` along its dimension, which combines the partial result with the next
    slice and inserts it into the result; `reverse` goes from the end. The body of the scan works on whole slices.

    Precondition: elementwise operations in the body; another one is reported and the pass fails.
    Postcondition: no `tileaa.scan` is left.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

#endif
