// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_LINALG_PASSES
#define TILEWRIGHT_LOWER_TILEAA_TO_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def TileaaToLinalg : Pass<"tileaa-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "groups elementwise tile work into linalg.generic loops";
  let description = [{
    Every tile that must exist in memory (an operand of `mma`, a stored tile, a value carried by a loop, an
    expensive value with several uses) becomes the result of one `linalg.generic` whose body computes the whole
    expression down to other such tiles; broadcasts, permutations, iotas and constants leave no trace but
    indexing maps and `linalg.index`. A reduction takes the expression of its source into its own body, and where
    that source is needed again writes it as a second result.

    ```
    %s = arith.subf %x, %m : tensor<1x64xf32>          %e:2 = linalg.generic ins(%x, %m) outs(%i, %empty)
    %e = math.exp2 %s : tensor<1x64xf32>          -->    { subf, exp2, addf; yield sum, exp }
    %r = tileaa.reduce %e ...
    ```

    Afterwards no `arith` or `math` op has a tensor operand, `tileaa.mma` has become `cpu.mma`, and loads, stores
    and pointer accesses are as they were (see place-loads).
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::tilewright::cpu::CpuDialect"];
}

#endif
