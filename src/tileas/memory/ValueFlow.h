// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_MEMORY_VALUEFLOW_H
#define TILEWRIGHT_TILEAS_MEMORY_VALUEFLOW_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// The values that control flow forwards to a value: for the argument of a loop its initial value and the yielded one,
/// for the result of a branch the value of each side. Nothing for any other value.
llvm::SmallVector<mlir::Value> incomingValues(mlir::Value value);

/// The values that are not handed on by control flow and that `value` may be.
llvm::SetVector<mlir::Value> originsOf(mlir::Value value);

/// The values that a token inside a region stands for at the region's begin, where the region itself adds nothing but
/// loads to it; none for that of a function's body.
std::optional<llvm::SetVector<mlir::Value>> tokensAtEntry(mlir::Region &region, mlir::Value token);

/// Removes a load after `token`, if any, whose tile is obtained elsewhere: operations ordered after the load are
/// ordered after `token`.
void eraseFromTokens(mlir::Operation *load, mlir::Value token);

} // namespace tilewright

#endif
