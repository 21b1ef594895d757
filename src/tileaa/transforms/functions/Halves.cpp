// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of f16 and bf16: those of f32, rounded, but for what is only bits.
#include "tileaa/transforms/functions/Functions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

// The sign of a half is a bit: as a function of f32 it would be lost on a NaN.
template <typename Op> struct SignOfHalf : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != 16)
      return rewriter.notifyMatchFailure(op, "no half");
    Arithmetic a{rewriter, op.getLoc(), op.getType()};
    Value bits = a.bits(op.getOperand());
    if constexpr (std::is_same_v<Op, arith::NegFOp>)
      bits = arith::XOrIOp::create(rewriter, op.getLoc(), bits, a.integer(-0x8000, a.bitsType()));
    else
      bits = arith::AndIOp::create(rewriter, op.getLoc(), bits, a.integer(0x7FFF, a.bitsType()));
    rewriter.replaceOp(op, a.fromBits(bits));
    return success();
  }
};

// An fma of f32, rounded, would round twice; targets have that of halves or none is left.
struct WidenFunction : RewritePattern {
  WidenFunction(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !isa<math::MathDialect>(op->getDialect()) || isa<math::FmaOp>(op))
      return failure();
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    return element.isF16() || element.isBF16() ? widenHalf(op, rewriter) : failure();
  }
};

} // namespace

LogicalResult functions::widenHalf(Operation *op, PatternRewriter &rewriter) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto widened = [&](Type type) -> Type {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(rewriter.getF32Type())) : rewriter.getF32Type();
  };
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (getElementTypeOrSelf(operand.getType()) == element)
      operand = arith::ExtFOp::create(rewriter, loc, widened(operand.getType()), operand);
    operands.push_back(operand);
  }
  Operation *wide = rewriter.create(loc, op->getName().getIdentifier(), operands, widened(op->getResult(0).getType()),
                                    op->getAttrs());
  rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op->getResult(0).getType(), wide->getResult(0));
  return success();
}

void functions::populateHalves(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenFunction>(context);
  patterns.add<SignOfHalf<arith::NegFOp>, SignOfHalf<math::AbsFOp>>(context, /*benefit=*/3);
}
