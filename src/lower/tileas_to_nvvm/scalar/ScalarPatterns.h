// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SCALAR_SCALARPATTERNS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SCALAR_SCALARPATTERNS_H

#include "lower/tileas_to_nvvm/Patterns.h"

namespace tilewright {

void populateConstantPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateDivisionPattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateElementwisePattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateGridPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);

} // namespace tilewright

#endif
