// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/shape/ShapePatterns.h"

void tilewright::populateShapePatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel) {
  populateReshapePatterns(patterns, kernel);
  populateSlicePatterns(patterns, kernel);
  populateConvertLayoutPattern(patterns, kernel);
  populateReducePattern(patterns, kernel);
  populateScanPattern(patterns, kernel);
}
