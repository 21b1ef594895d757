// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which numbers are the same in all CTAs of a cluster. They run the same code with the same parameters, and differ in
// their rank:
//
//   %x = %number * 2 + %rank                 differs
//   %n = %x divui %height                    may be equal: it is where no multiple of the height lies between
//   %k, of a loop from 0 to %depth           equal
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_CLUSTERRANK_H
#define TILEWRIGHT_TILEAS_ANALYSIS_CLUSTERRANK_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <optional>

namespace tilewright::tileas {

class ClusterRank {
public:
  /// `isRank` says which values differ by themselves.
  explicit ClusterRank(std::function<bool(mlir::Value)> isRank) : isRank(std::move(isRank)) {}

  /// Whether CTAs may have different values. Of what is read from memory they may.
  bool dependsOnRank(mlir::Value value);
  bool dependsOnRank(mlir::ValueRange values) {
    return llvm::any_of(values, [&](mlir::Value value) { return dependsOnRank(value); });
  }
  /// Whether all CTAs come to an operation equally often: only loops of the same length, and branches that
  /// they take alike, lie around it, up to `top`.
  bool isUniform(mlir::Operation *op, mlir::Operation *top);

  /// The values of a block, or from around it, that decide whether indices in it or in its loops are equal in CTAs:
  /// where these are. None where that cannot be computed from the rank alone, or where they never are.
  std::optional<llvm::SmallVector<mlir::Value>> decidingValues(mlir::ValueRange indices, mlir::Block *block);
  /// Such a value as a CTA of another rank has it, computed there where `builder` is.
  mlir::Value ofOtherRank(mlir::Value value, mlir::Value otherRank, mlir::OpBuilder &builder);

private:
  bool searchRank(mlir::Value value, llvm::DenseSet<mlir::Value> &seen);
  bool isDistinct(mlir::Value value);
  bool canCompute(mlir::Value value, mlir::Block *block);
  bool collect(mlir::Value value, mlir::Block *block, llvm::SmallVector<mlir::Value> &values);

  std::function<bool(mlir::Value)> isRank;
  llvm::DenseMap<mlir::Value, bool> known;
};

} // namespace tilewright::tileas

#endif
