// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of atom has a pattern of its own for `tileas.mma`.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MMA_MMAPATTERNS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MMA_MMAPATTERNS_H

#include "lower/tileas_to_nvvm/Patterns.h"

namespace tilewright {

void populateMmaSyncPattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateScaledMmaPattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateFmaPattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateWgmmaPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
/// tcgen05, and tensor memory.
void populateTensorMemoryPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);

} // namespace tilewright

#endif
