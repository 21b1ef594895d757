// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"

void tilewright::populateMemoryPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel) {
  populateViewPatterns(patterns, kernel);
  populatePointerAccessPatterns(patterns, kernel);
  populateAtomicPatterns(patterns, kernel);
  populateSharedBufferPatterns(patterns, kernel);
  populateOwnMemoryPatterns(patterns, kernel);
  populateHostRecordPatterns(patterns, kernel);
  populateAgentRecordPatterns(patterns, kernel);
}
