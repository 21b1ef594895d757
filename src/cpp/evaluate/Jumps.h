// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_EVALUATE_JUMPS_H
#define TILEWRIGHT_CPP_EVALUATE_JUMPS_H

#include "cpp/values/Slots.h"

namespace tilewright::cpp {

/// A `continue` or `break` that was built, and the leaves as they were there.
struct Jump {
  mlir::Operation *op;
  SlotValues values;
};

/// The end that `break`, `continue` and `return` jump to: of a loop, or the end of a function or `switch`.
struct Target {
  enum Kind { Kernel, Scope, For, Loop } kind;
  bool takesBreak = false, takesContinue = false; // of the source, where no other target is nearer

  // Of those that are an operation with a region: the slots before it.
  size_t mark = 0;
  unsigned numSlots = 0;
  llvm::SmallVector<unsigned> carried;
  std::function<void()> next; // evaluated before an iteration begins again
  size_t outerObjects = 0;    // with a destructor, that were made before
  llvm::SmallVector<Jump> continues, breaks;

  // Slots of i1: a jump to this target that has yet to leave loops in between.
  unsigned pendingBreak = 0, pendingContinue = 0;

  bool hasRegion() const { return kind != Kernel; }
};

/// Whether code behind a region may use what a leaf has: it is from outside, as constants are.
bool isAvailable(const Leaf &leaf, mlir::Region &region);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_EVALUATE_JUMPS_H
