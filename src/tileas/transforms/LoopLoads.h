// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loads of a loop whose tiles go into products, and which can be made iterations ahead: where they are follows from
// the loop's number and from scalars that it carries, and nothing that the loop writes has to come before them.
#ifndef TILEWRIGHT_TILEAS_TRANSFORMS_LOOPLOADS_H
#define TILEWRIGHT_TILEAS_TRANSFORMS_LOOPLOADS_H

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tileas {

class LoopLoads {
public:
  /// Remarks say why others are not among them.
  explicit LoopLoads(mlir::scf::ForOp loop);

  llvm::ArrayRef<tileaa::LoadViewOp> ahead() const { return loads; }

  /// What an iteration begins with.
  struct State {
    mlir::Value induction;
    llvm::SmallVector<mlir::Value> carried;
  };
  State first() const;
  State current() const;
  /// Copies what says where the loads of that iteration are; the mapping has the copies.
  mlir::IRMapping compute(const State &state, mlir::OpBuilder &builder) const;
  /// What the iteration after it begins with.
  State next(const State &state, const mlir::IRMapping &mapping, mlir::OpBuilder &builder) const;
  llvm::SmallVector<mlir::Value> carriedNext(const mlir::IRMapping &mapping) const;

private:
  bool addAll(mlir::ValueRange values);
  bool add(mlir::Value value);

  mutable mlir::scf::ForOp loop;
  llvm::SmallVector<tileaa::LoadViewOp> loads;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<unsigned> carried; // of the loop's values
};

} // namespace tilewright::tileas

#endif
