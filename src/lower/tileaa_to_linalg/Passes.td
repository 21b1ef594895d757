// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_LINALG_PASSES
#define TILEWRIGHT_LOWER_TILEAA_TO_LINALG_PASSES

include "mlir/Pass/PassBase.td"

def TileaaToLinalg : Pass<"tileaa-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "lower elementwise work and reductions to linalg.generic";
  let description = [{
    Every tile that has to be materialized (an operand of `mma`, a stored tile, a loop-carried tile, an expensive
    tile with several uses) becomes the result of one `linalg.generic` whose body computes the whole expression from
    other such tiles. Broadcasts, permutations, iotas and constants become indexing maps and `linalg.index`. A
    reduction fuses the expression of its source into its body; if the source has other uses, it is a second result.

    ```
    %s = arith.subf %x, %m : tensor<1x64xf32>          %e:2 = linalg.generic ins(%x, %m) outs(%i, %empty)
    %e = math.exp2 %s : tensor<1x64xf32>          -->    { subf, exp2, addf; yield sum, exp }
    %r = tileaa.reduce %e ...
    ```

    Left alone: loads, stores and accesses through pointers (see cpu-place-loads).

    Postcondition: no `arith` or `math` op has a tensor operand, and every `tileaa.mma` has become a `cpu.mma`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::tilewright::cpu::CpuDialect"];
}

#endif
