// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_COMBINETILES_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_COMBINETILES_H

#include "mlir/IR/Builders.h"

namespace tilewright::tileaa {

/// Applies the step of a reduction or scan, which is written for scalars, elementwise to tiles of one shape and layout:
/// combines the partial results `before` with the next elements `values`.
llvm::SmallVector<mlir::Value> combineTiles(mlir::Block &step, llvm::ArrayRef<mlir::Value> before,
                                            llvm::ArrayRef<mlir::Value> values, mlir::OpBuilder &builder,
                                            mlir::Location loc);

} // namespace tilewright::tileaa

#endif
