// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths through structured control flow, over the few operations of a function that a rule is about.
#ifndef TILEWRIGHT_TILEAS_VERIFY_PATHS_H
#define TILEWRIGHT_TILEAS_VERIFY_PATHS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tileas {

class Paths {
public:
  /// Only operations for which `isEvent` holds are met. `tileas.agents` is one of them, or the end of a path.
  Paths(mlir::Region &region, llvm::function_ref<bool(mlir::Operation *)> isEvent);

  /// The state behind an operation that a path meets in a state, or nothing where the path ends. At the end of the
  /// region it is called without an operation.
  using Step = llvm::function_ref<std::optional<int64_t>(mlir::Operation *, int64_t)>;

  /// All paths from behind an event: each place is left once in each state, so the states have to be few.
  void from(mlir::Operation *event, int64_t state, Step step) const;
  void fromBegin(mlir::Block &block, int64_t state, Step step) const;

private:
  struct Place {
    mlir::Block *block;
    size_t index;
    int64_t state;
  };
  bool collect(mlir::Region &region, llvm::function_ref<bool(mlir::Operation *)> isEvent);
  void follow(Place begin, Step step) const;

  llvm::DenseMap<mlir::Block *, std::vector<mlir::Operation *>> events; // with the control flow around them
  llvm::DenseMap<mlir::Operation *, size_t> positions;
};

} // namespace tilewright::tileas

#endif
