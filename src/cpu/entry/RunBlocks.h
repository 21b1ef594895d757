// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_ENTRY_RUNBLOCKS_H
#define TILEWRIGHT_CPU_ENTRY_RUNBLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::cpu {

/// The loop over a range of tile blocks, numbered with x fastest, which calls functions with the place of a block
/// behind the kernel's arguments: its coordinates and the extents of the grid, as i32.
struct RunBlocks {
  mlir::Value first, last; // the last one is not run
  llvm::SmallVector<mlir::Value, 3> grid;
  llvm::SmallVector<mlir::Value> arguments;

  void build(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp block) const;
  /// Neighbours along x run together where there are as many as `joined` runs, if `joins` says so.
  void build(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp block, mlir::func::FuncOp joined,
             int64_t blocks, mlir::Value joins) const;

private:
  llvm::SmallVector<mlir::Value, 3> placeOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number) const;
  void call(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp block, mlir::ValueRange place) const;
};

} // namespace tilewright::cpu

#endif
