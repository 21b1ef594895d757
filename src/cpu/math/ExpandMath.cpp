// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/math/ExpandMath.h"
#include "cpu/Passes.h"
#include "cpu/ir/Plan.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

/// math-to-llvm converts absi of vectors with one axis only.
struct ExpandAbs : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsIOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() < 2)
      return rewriter.notifyMatchFailure(op, "is converted as it is");
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getZeroAttr(type));
    Value negative = arith::SubIOp::create(rewriter, op.getLoc(), zero, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, op.getOperand(), negative);
    return success();
  }
};

struct CpuExpandMath : tilewright::impl::CpuExpandMathBase<CpuExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    bool hasTables = cpu::Plan::of(getOperation()).unit().hasTables;
    cpu::WideVectorFunctions wide;
    const functions::TargetFunctions *target = hasTables ? &wide : nullptr;
    functions::populateFunctions(patterns, target);
    functions::populateFlushedExp2(patterns, target);
    // Where tanh may be rough, upstream's quotient of polynomials is cheaper and within 5 units of the last place.
    populatePolynomialApproximateTanhPattern(patterns);
    cpu::populateBFloats(patterns, hasTables);
    if (hasTables)
      cpu::populateExtrema(patterns);
    patterns.add<ExpandAbs>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
