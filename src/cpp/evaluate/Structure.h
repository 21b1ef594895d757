// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_EVALUATE_STRUCTURE_H
#define TILEWRIGHT_CPP_EVALUATE_STRUCTURE_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// Replaces a loop that has one iteration by branches, where its jumps allow it, and gives the values of its results.
///
///   %r = loop {                       %r = if %c {
///     if %c { break %a }      -->       yield %a
///     ...                             } else {
///     break %b                          ...
///   }                                   yield %b
///                                     }
///
/// Left alone: a loop with a jump in a branch that goes on elsewhere.
llvm::SmallVector<mlir::Value> withoutLoop(cuda_tile::LoopOp loop);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_EVALUATE_STRUCTURE_H
