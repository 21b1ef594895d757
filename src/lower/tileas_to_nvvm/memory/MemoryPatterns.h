// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_MEMORYPATTERNS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_MEMORYPATTERNS_H

#include "lower/tileas_to_nvvm/Patterns.h"

namespace tilewright {

void populateViewPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populatePointerAccessPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
/// Atomics and accesses with an ordering.
void populateAtomicPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateSharedBufferPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateOwnMemoryPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateHostRecordPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateAgentRecordPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);

} // namespace tilewright

#endif
