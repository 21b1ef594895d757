// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions, arithmetic and comparisons of f16 and bf16: those of f32, rounded, but for what is only bits.
#include "cpu/ExpandMath.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// The sign of a half is a bit: as a function of f32 it would be lost on a NaN.
template <typename Op> struct SignOfHalf : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != 16)
      return rewriter.notifyMatchFailure(op, "no half");
    Arithmetic a{rewriter, op.getLoc(), op.getType(), 0};
    Value bits = a.bits(op.getOperand());
    if constexpr (std::is_same_v<Op, arith::NegFOp>)
      bits = arith::XOrIOp::create(rewriter, op.getLoc(), bits, a.integer(-0x8000, a.bitsType()));
    else
      bits = arith::AndIOp::create(rewriter, op.getLoc(), bits, a.integer(0x7FFF, a.bitsType()));
    rewriter.replaceOp(op, a.fromBits(bits));
    return success();
  }
};

// Arithmetic that LLVM rounds to bf16 by vcvtneps2bf16, which makes zeros of subnormals.
bool isArithmetic(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(op);
}

// Functions of half types are those of f32, rounded.
struct WidenHalf : RewritePattern {
  WidenHalf(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return failure();
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    bool isFunction = isa<math::MathDialect>(op->getDialect()) && (element.isF16() || element.isBF16());
    if (!isFunction && !(isArithmetic(op) && element.isBF16()))
      return failure();
    auto withElement = [](Type type, Type to) -> Type {
      auto vector = dyn_cast<VectorType>(type);
      return vector ? VectorType::get(vector.getShape(), to) : to;
    };
    Location loc = op->getLoc();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (getElementTypeOrSelf(operand.getType()) == element)
        operand = arith::ExtFOp::create(rewriter, loc, withElement(operand.getType(), rewriter.getF32Type()), operand);
      operands.push_back(operand);
    }
    Operation *wide = rewriter.create(loc, op->getName().getIdentifier(), operands,
                                      withElement(op->getResult(0).getType(), rewriter.getF32Type()), op->getAttrs());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op->getResult(0).getType(), wide->getResult(0));
    return success();
  }
};

// Comparing bf16 is comparing f32. LLVM 22 takes the vector's comparison widened to f32 for one without masks where its
// result becomes lanes and the target has f16 arithmetic, and finds no instruction for it.
struct CompareAsSingle : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::CmpFOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getLhs().getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "not bf16");
    Arithmetic a = Arithmetic{rewriter, op.getLoc(), op.getLhs().getType(), 0}.in(rewriter.getF32Type());
    rewriter.replaceOp(op, a.compare(op.getPredicate(), a.convert(op.getLhs()), a.convert(op.getRhs())));
    return success();
  }
};

} // namespace

void cpu::populateHalves(RewritePatternSet &patterns, int64_t vectorBits) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenHalf, CompareAsSingle>(context);
  patterns.add<SignOfHalf<arith::NegFOp>, SignOfHalf<math::AbsFOp>>(context, /*benefit=*/3);
  // Rounding to bf16 in integers: vcvtneps2bf16, which LLVM would take, makes zeros of subnormals.
  arith::populateExpandBFloat16Patterns(patterns);
  if (vectorBits == 512)
    populateRounding(patterns);
}
