// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_IR_MMASHAPES_H
#define TILEWRIGHT_TILEAA_IR_MMASHAPES_H

#include "mlir/IR/Operation.h"

namespace tilewright::tileaa {

/// The shapes of a matrix product: [M,K] by [K,N] into [M,N], or all with a leading batch dimension.
llvm::LogicalResult verifyMmaShapes(mlir::Operation *mma, llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs,
                                    llvm::ArrayRef<int64_t> acc);

} // namespace tilewright::tileaa

#endif
