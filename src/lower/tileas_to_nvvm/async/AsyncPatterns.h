// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_ASYNCPATTERNS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_ASYNCPATTERNS_H

#include "lower/tileas_to_nvvm/Patterns.h"
#include "lower/tileas_to_nvvm/async/Rings.h"

namespace tilewright {

/// Agents, and barriers of all threads.
void populateAgentPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populatePipelinePatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel,
                              const std::shared_ptr<const Rings> &rings);
/// Copies by the threads of the CTA (cp.async).
void populateAsyncCopyPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel,
                               const std::shared_ptr<const Rings> &rings);
/// Copies by the tensor memory accelerator.
void populateTmaCopyPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel,
                             const std::shared_ptr<const Rings> &rings);
/// Sums of the CTAs of a cluster.
void populateClusterSumPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateTensorMapPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);

} // namespace tilewright

#endif
