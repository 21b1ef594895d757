// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_DESCRIBESCALARS_H
#define TILEWRIGHT_TILEAA_ANALYSIS_DESCRIBESCALARS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "predict/Scalar.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tileaa {

/// The integers of a function as expressions in what a launch knows. A tile of integers, as addresses are, has one that
/// is equal for equal tiles.
class DescribeScalars {
public:
  /// The parameters of the function from `firstGrid` up to `firstHidden` are extents of the grid.
  DescribeScalars(mlir::func::FuncOp function, predict::Scalars &scalars, unsigned firstGrid, unsigned firstHidden)
      : function(function), scalars(scalars), firstGrid(firstGrid), firstHidden(firstHidden) {}
  virtual ~DescribeScalars() = default;

  predict::ScalarId of(mlir::Value value);
  /// A new loop variable, for a loop inside of so many others.
  predict::ScalarId addVariable(mlir::Value value, unsigned depth);
  /// Extents and strides of a view, in elements.
  struct View {
    predict::ScalarId base;
    llvm::SmallVector<predict::ScalarId, 4> shape, strides;
  };
  View viewOf(mlir::Value view);

protected:
  /// A scalar of an operation that is none of arithmetic, of tileaa or of the grid; nothing if it is not known.
  virtual std::optional<predict::ScalarId> makeOfOther(mlir::OpResult) { return std::nullopt; }

  mlir::func::FuncOp function;
  predict::Scalars &scalars;

private:
  predict::ScalarId make(mlir::Value value);
  predict::ScalarId makeOfArgument(mlir::BlockArgument argument);
  predict::ScalarId makeOfArith(mlir::Operation *op);
  predict::ScalarId mix(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);

  unsigned firstGrid, firstHidden; // parameters behind the kernel's own
  llvm::DenseMap<mlir::Value, predict::ScalarId> known;
};

} // namespace tilewright::tileaa

#endif
