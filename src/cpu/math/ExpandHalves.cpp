// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic and comparisons of bf16, and any fma of halves: those of f32, rounded.
#include "cpu/math/ExpandMath.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

// LLVM rounds to bf16 by vcvtneps2bf16, which makes zeros of subnormals.
struct WidenArithmetic : RewritePattern {
  WidenArithmetic(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool isArithmetic = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::MaxNumFOp,
                            arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(op);
    if (!isArithmetic && !isa<math::FmaOp>(op))
      return failure();
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    bool isHalf = element.isBF16() || (element.isF16() && !isArithmetic);
    return isHalf ? widenHalf(op, rewriter) : failure();
  }
};

// Comparing bf16 is comparing f32. LLVM 22 takes the vector's comparison widened to f32 for one without masks where its
// result becomes lanes and the target has f16 arithmetic, and finds no instruction for it.
struct CompareAsSingle : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getLhs().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not bf16");
    Arithmetic a = Arithmetic{rewriter, op.getLoc(), op.getLhs().getType()}.in(rewriter.getF32Type());
    rewriter.replaceOp(op, a.compare(op.getPredicate(), a.convert(op.getLhs()), a.convert(op.getRhs())));
    return success();
  }
};

} // namespace

void cpu::populateBFloats(RewritePatternSet &patterns, bool hasTables) {
  patterns.add<WidenArithmetic, CompareAsSingle>(patterns.getContext());
  // Rounding to bf16 in integers: vcvtneps2bf16, which LLVM would take, makes zeros of subnormals.
  arith::populateExpandBFloat16Patterns(patterns);
  if (hasTables)
    populateRounding(patterns);
}
