// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/mma/MmaPatterns.h"

void tilewright::populateMmaPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel) {
  populateMmaSyncPattern(patterns, kernel);
  populateScaledMmaPattern(patterns, kernel);
  populateFmaPattern(patterns, kernel);
  populateWgmmaPatterns(patterns, kernel);
  populateTensorMemoryPatterns(patterns, kernel);
}
