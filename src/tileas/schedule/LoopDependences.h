// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences of a loop whose operations are reordered: values, within an iteration and to the next; the steps of
// pipelines, whose stage index an agent advances in order, so that a stage is released before the next one is waited
// for; and reads of a stage, by products until they complete, before its release.
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_LOOPDEPENDENCES_H
#define TILEWRIGHT_TILEAS_SCHEDULE_LOOPDEPENDENCES_H

#include "tileas/ir/LoopParts.h"
#include "tileas/schedule/order/LoopSchedule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

class LoopDependences {
public:
  /// Nothing where the loop has effects that cannot change places.
  static std::optional<LoopDependences> of(mlir::scf::ForOp loop);

  llvm::ArrayRef<mlir::Operation *> ops() const { return body; }
  llvm::ArrayRef<Dependence> all() const { return dependences; }
  LoopParts parts() const { return LoopParts(loop); }
  /// That a schedule breaks it.
  llvm::Error errorOf(const Dependence &broken) const;
  unsigned numberOf(mlir::Operation *op) const { return numbers.lookup(op); }
  /// The operations of the body whose results it takes, from the same iteration or the one before it.
  struct Source {
    unsigned op, distance;
    mlir::Value value;
  };
  llvm::SmallVector<Source> sourcesOf(mlir::Operation *op) const;
  /// The definition of the value, `distance` iterations ago: through operations that only reinterpret it.
  Source rootOf(Source source) const;

private:
  explicit LoopDependences(mlir::scf::ForOp loop);
  bool addEffects();

  mutable mlir::scf::ForOp loop;             // its accessors are not const
  llvm::SmallVector<mlir::Operation *> body; // without the terminator
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::SmallVector<Dependence> dependences;
};

/// Whether an operation has the registers of its operand as its result.
bool onlyReinterprets(mlir::Operation *op);

/// A loop in whose body warpgroups multiply operands from pipelines, without nested loops.
bool hasScheduledProducts(mlir::scf::ForOp loop);

} // namespace tilewright::tileas

#endif
