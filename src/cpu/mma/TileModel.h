// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_MMA_TILEMODEL_H
#define TILEWRIGHT_CPU_MMA_TILEMODEL_H

#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::cpu {

/// Patterns that give the instructions of the matrix unit the form of loops, and its registers that of buffers on the
/// stack, one for each zeroed or loaded tile. A product adds to the buffer of its sums.
void populateTileModel(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace tilewright::cpu

#endif
