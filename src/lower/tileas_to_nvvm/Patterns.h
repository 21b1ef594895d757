// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The patterns of the conversion by families: a room of this folder each. They are made while the original IR is whole,
// and take from it what they have to know besides the operation they rewrite (see KernelContext.h).
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PATTERNS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PATTERNS_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// Rewrites an operation on tiles to the code of one thread.
template <typename Op> class TilePattern : public mlir::OpConversionPattern<Op> {
public:
  explicit TilePattern(KernelContext &kernel)
      : mlir::OpConversionPattern<Op>(kernel.types, kernel.function.getContext()), kernel(kernel) {}

  using Adaptor = typename mlir::OpConversionPattern<Op>::OneToNOpAdaptor;

  /// Checks all conditions before it builds anything, since patterns are not rolled back (see TileasToNvvm.cpp).
  virtual mlir::LogicalResult lower(Op op, Adaptor adaptor, ThreadBuilder &thread) const = 0;

  mlir::LogicalResult matchAndRewrite(Op op, Adaptor adaptor, mlir::ConversionPatternRewriter &rewriter) const final {
    ThreadBuilder thread(rewriter, op, kernel);
    return lower(op, adaptor, thread);
  }

protected:
  KernelContext &kernel;
};

/// A pattern that looks up what it has to know of the original IR.
template <typename Op, typename Facts> class TilePatternWith : public TilePattern<Op> {
public:
  TilePatternWith(KernelContext &kernel, std::shared_ptr<const Facts> facts)
      : TilePattern<Op>(kernel), facts(std::move(facts)) {}

protected:
  std::shared_ptr<const Facts> facts;
};

/// Products: mma.sync, wgmma, tcgen05 with tensor memory, fma.
void populateMmaPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
/// Agents, pipelines and asynchronous copies.
void populateAsyncPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
/// Accesses to global and shared memory, atomics, records for the host.
void populateMemoryPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
/// Tiles of other shapes or layouts, reductions and scans.
void populateShapePatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);
/// Constants, the grid, and all that works on each element alone.
void populateScalarPatterns(mlir::RewritePatternSet &patterns, KernelContext &kernel);

} // namespace tilewright

#endif
