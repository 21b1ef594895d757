// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of one thread to global memory, up to 16 bytes at once.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_GLOBALMEMORY_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_GLOBALMEMORY_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// `width` elements one after another. Where `condition` is given and false they are zero: the address is then that of
/// zeros in the module, since a load that always happens needs no branch.
llvm::SmallVector<mlir::Value> loadGlobal(mlir::Value pointer, mlir::Type element, int64_t width, int64_t alignment,
                                          mlir::Value condition, ThreadBuilder &thread,
                                          tileaa::CachePolicy cache = tileaa::CachePolicy::Default);

/// Elements one after another, where the condition is true or not given.
void storeGlobal(llvm::ArrayRef<mlir::Value> values, mlir::Value pointer, int64_t alignment, mlir::Value condition,
                 ThreadBuilder &thread, tileaa::CachePolicy cache = tileaa::CachePolicy::Default);

/// Elements as one value of memory, and the reverse.
mlir::Value packVector(llvm::ArrayRef<mlir::Value> values, ThreadBuilder &thread);
llvm::SmallVector<mlir::Value> unpackVector(mlir::Value packed, mlir::Type element, int64_t width,
                                            ThreadBuilder &thread);

/// Sixteen bytes of zeros.
constexpr llvm::StringLiteral zerosName = "tilewright_zeros";

} // namespace tilewright

#endif
