// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of tiles behind the end of their arrays: all of a line are the same value, the padding or a function of
// it.
#ifndef TILEWRIGHT_CPU_PLAN_PADDINGTAIL_H
#define TILEWRIGHT_CPU_PLAN_PADDINGTAIL_H

#include "cpu/place/ViewAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::cpu {

/// A place on a line: where the view of a load or store, made where it is seen, ends; or a scalar integer.
struct LineEnd {
  mlir::Operation *access = nullptr;
  int64_t dim = 0; // of the tile of the access
  mlir::Value scalar;
  int64_t more = 0; // elements that are added

  /// The values that it is computed from.
  llvm::SmallVector<mlir::Value> inputs() const;

  /// As an index of 0 or more.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc) const;
};

/// The elements of a line behind several places: the last of them is where they begin.
struct PaddingTail {
  enum Kind { Varying, Uniform, ZeroOrNan, MinusInfinityOrNan } kind = Varying;
  mlir::Attribute constant; // of a uniform one, where it is known
  llvm::SmallVector<LineEnd> ends;

  bool isUniform() const { return kind != Varying; }
  bool isZeroOrNan() const;
};

/// Of the values of a loop's body, along one of the loop's dimensions.
class BodyTails {
public:
  BodyTails(mlir::linalg::GenericOp loop, int64_t dim) : loop(loop), dim(dim) {}

  PaddingTail of(mlir::Value value);

private:
  PaddingTail compute(mlir::Value value);
  PaddingTail ofInput(mlir::OpOperand &input);
  PaddingTail ofOperation(mlir::Operation *op);
  PaddingTail ofSelect(mlir::arith::SelectOp op);
  std::optional<PaddingTail> ofComparison(mlir::arith::CmpIOp op);
  bool isPosition(mlir::Value value);

  mlir::linalg::GenericOp loop;
  int64_t dim;
  llvm::DenseMap<mlir::Value, PaddingTail> known;
};

} // namespace tilewright::cpu

#endif
