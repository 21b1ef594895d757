// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SHAPE_SHAPEPATTERNS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SHAPE_SHAPEPATTERNS_H

#include "lower/tileas_to_nvvm/Patterns.h"

namespace tilewright {

void populateReshapePatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateSlicePatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateConvertLayoutPattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateReducePattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateScanPattern(mlir::RewritePatternSet &patterns, KernelContext &kernel);

/// The registers of a tile that has `result`'s elements where its registers have `source`'s: each register of the
/// result is one of the source's of the same thread. Nothing where a thread lacks one.
std::optional<llvm::SmallVector<mlir::Value>> pickRegisters(llvm::ArrayRef<mlir::Value> registers,
                                                            const layout::LinearLayout &source,
                                                            const layout::LinearLayout &result);

/// Two partial results, each a value for every source, combined by the body of a reduction or scan.
llvm::SmallVector<mlir::Value> combineInBody(mlir::Block &body, llvm::ArrayRef<mlir::Value> before,
                                             llvm::ArrayRef<mlir::Value> values, ThreadBuilder &thread);

} // namespace tilewright

#endif
