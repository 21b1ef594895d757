// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

void tilewright::populateScalarPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel) {
  populateConstantPatterns(patterns, kernel);
  populateDivisionPattern(patterns, kernel);
  populateElementwisePattern(patterns, kernel);
  populateGridPatterns(patterns, kernel);
}
