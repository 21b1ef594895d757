// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SHAPE_WARPSHUFFLE_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SHAPE_WARPSHUFFLE_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// A scalar of any type from lane `source` (i32), or from the lane whose number differs by `mask`: words of 32 bits, as
/// many as it has.
mlir::Value shuffleIndex(mlir::Value value, mlir::Value source, ThreadBuilder &thread);
mlir::Value shuffleXor(mlir::Value value, unsigned mask, ThreadBuilder &thread);

} // namespace tilewright

#endif
