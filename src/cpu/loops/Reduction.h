// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_LOOPS_REDUCTION_H
#define TILEWRIGHT_CPU_LOOPS_REDUCTION_H

#include "cpu/loops/LoopNest.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::cpu {

/// The two parts of a reduction's body: one computes an element per result, and the combiner combines it with the
/// accumulator, or two lanes with each other.
///
///   ^bb(%in: bf16, %acc: f32):
///     %x = arith.extf %in          the element
///     %s = arith.addf %acc, %x     the combiner
///     linalg.yield %s
class Reduction {
public:
  explicit Reduction(LoopNest &nest);

  /// Whether the combiner takes nothing but accumulators and elements, so that it can combine lanes.
  bool combinesLanes() const { return isClosed; }

  /// The kind of an extremum of numbers, by which all lanes of accumulators are combined in one operation.
  std::optional<mlir::vector::CombiningKind> extremum() const;

  /// The results that are reduced, and per such result what is combined.
  llvm::ArrayRef<unsigned> results() const { return reduced; }
  llvm::ArrayRef<mlir::Value> elements() const { return combined; }

  llvm::SmallVector<mlir::Value> loadAccumulators(mlir::OpBuilder &builder) const;
  void storeAccumulators(mlir::OpBuilder &builder, mlir::ValueRange values) const;

  /// The combiner on scalars or vectors.
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &builder, mlir::ValueRange accumulators,
                                         mlir::ValueRange next) const;

private:
  mlir::BlockArgument accumulator(unsigned result) const;
  void findElements();
  llvm::SetVector<mlir::Value> collectCombiner();

  LoopNest &nest;
  llvm::SmallVector<unsigned> reduced;
  llvm::SmallVector<mlir::Value> combined;
  llvm::SmallVector<mlir::Operation *> combiner;
  bool isClosed = false;
};

} // namespace tilewright::cpu

#endif
