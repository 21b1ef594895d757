// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_PASSES
#define TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_PASSES

include "mlir/Pass/PassBase.td"

def CudaTileToTileaaPass : Pass<"cuda-tile-to-tileaa", "mlir::ModuleOp"> {
  let summary = "lower cuda_tile entries to functions on the tileaa level";
  let description = [{
    Input: a module with `cuda_tile.entry` operations, inside `cuda_tile.module` or not. Output: for each entry a
    `func.func` with the unit attribute `tileaa.kernel` and parameters in the same order; no cuda_tile operation,
    type or attribute is left.

    - A tile of rank 0 becomes a scalar, any other tile a tensor; a pointer becomes its address (i64). Element types
      without arithmetic are stored as others (tf32 as f32; i4, f4E2M1FN and 8-bit floats as i8), and the operations
      that read or write them name the format.
    - Tile views disappear: a load or store has its offsets in elements.
    - `for`, `loop`, `if` with `break`, `continue` and `return` at any depth become structured `scf`.
    - Division, remainder and shifts get operands for which they are defined, so that an undefined program computes
      some value and never traps.
    - Conversions and float arithmetic that `arith` and `math` cannot express (formats, directed rounding, flushing,
      signed zeros of `maxf`) become `tileaa.convert` and `tileaa.float`. The modes `approx` and `full` become
      `fastmath<afn>`.
    - Functions of f16 and bf16 are computed in f32 and rounded.
    - Hints become `tileaa.hints` of the function and `hints` of loads and stores.

    Every operation (or variant of one) without a lowering is reported at its source line, all of them in one run,
    and the pass fails.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::math::MathDialect", "mlir::scf::SCFDialect",
    "mlir::ub::UBDialect", "tilewright::tileaa::TileaaDialect"
  ];
}

#endif
