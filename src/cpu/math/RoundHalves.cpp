// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 to bf16 on vectors of 512 bits, in integers: vcvtneps2bf16, which LLVM would take, makes zeros of subnormals.
//
// To the nearest is to add just under a half of the last place, one more where that place is odd, and to keep the upper
// half of the bits. With masks the addend is one choice, and the upper halves of two vectors are one permutation;
// shifting the odd place down and every sum, and narrowing one vector at a time, is 10 instead of 6 operations.
#include "cpu/math/ExpandMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

struct RoundToBFloat16 : OpRewritePattern<arith::TruncFOp> {
  RoundToBFloat16(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getDimSize(0) % 16 != 0 || !type.getElementType().isBF16() ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not whole vectors of f32 to bf16");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) != arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "rounds another way");
    Location loc = op.getLoc();
    int64_t lanes = type.getDimSize(0);
    Arithmetic a{rewriter, loc, op.getIn().getType()};
    Value bits = a.bits(op.getIn());
    auto constant = [&](int64_t value) { return a.integer(value, rewriter.getI32Type()); };
    Value last = arith::AndIOp::create(rewriter, loc, bits, constant(0x10000));
    Value isOdd = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, last, constant(0));
    Value sum = arith::AddIOp::create(rewriter, loc, bits, a.select(isOdd, constant(0x8000), constant(0x7fff)));
    // The sum could carry a NaN over to an infinity or a zero.
    Value isNaN = a.compare(arith::CmpFPredicate::UNO, op.getIn(), op.getIn());
    sum = a.select(isNaN, constant(0x7fc00000), sum);
    auto halves = VectorType::get({2 * lanes}, rewriter.getI16Type());
    Value split = vector::BitCastOp::create(rewriter, loc, halves, sum);
    SmallVector<int64_t> upper;
    for (int64_t lane = 0; lane < lanes; ++lane)
      upper.push_back(2 * lane + 1);
    Value kept = vector::ShuffleOp::create(rewriter, loc, split, split, upper);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, kept);
    return success();
  }
};

} // namespace

void cpu::populateRounding(RewritePatternSet &patterns) {
  patterns.add<RoundToBFloat16>(patterns.getContext());
}
