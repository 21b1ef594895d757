// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts in the body of a loop by the names that its schedule has for them: their numbers in the plan, or where a
// loop has none of these, their places among the loop's own.
#ifndef TILEWRIGHT_TILEAS_IR_LOOPPARTS_H
#define TILEWRIGHT_TILEAS_IR_LOOPPARTS_H

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

class LoopParts {
public:
  explicit LoopParts(mlir::scf::ForOp loop);

  struct Named {
    PartName name;
    mlir::Operation *op;
  };
  /// Products, reductions and loads, in the order of the program.
  llvm::ArrayRef<Named> all() const { return parts; }
  /// Null where there is none.
  mlir::Operation *find(const PartName &name) const;
  /// Nothing where it is no part of the body.
  std::optional<PartName> nameOf(mlir::Operation *op) const;
  /// Of any operation of the body, for errors: `start product.0`, `reduction.0`, or the operation and its place.
  std::string describe(mlir::Operation *op) const;
  /// Why a schedule is none of the loop: it names a part that there is not, or names a product that runs nowhere.
  std::string refusalOf(llvm::ArrayRef<ScheduleItem> items) const;

private:
  std::string refusalOfItem(const ScheduleItem &item) const;

  llvm::SmallVector<Named> parts;
};

/// Whether it is a product that runs while the threads go on.
bool isRunningProduct(mlir::Operation *op);

} // namespace tilewright::tileas

#endif
