// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"

void tilewright::populateAsyncPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel) {
  std::shared_ptr<const Rings> rings = std::make_shared<Rings>(kernel.function);
  populateAgentPatterns(patterns, kernel);
  populatePipelinePatterns(patterns, kernel, rings);
  populateAsyncCopyPatterns(patterns, kernel, rings);
  populateTmaCopyPatterns(patterns, kernel, rings);
  populateClusterSumPatterns(patterns, kernel);
  populateTensorMapPatterns(patterns, kernel);
}
