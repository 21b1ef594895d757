// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions written as arithmetic on scalars and vectors alike.
#ifndef TILEWRIGHT_CPU_EXPANDMATH_H
#define TILEWRIGHT_CPU_EXPANDMATH_H

#include "cpu/Arithmetic.h"

#include "mlir/IR/PatternMatch.h"

namespace tilewright::cpu {

/// e^x or 2^x as mantissa * 2^exponent, the mantissa between 0.7 and 1.42, the exponent a whole number.
struct Exponential {
  mlir::Value mantissa, exponent;
};
Exponential splitExponential(const Arithmetic &a, mlir::Value x, bool natural);

/// x * 2^n for a whole n within twice the exponent range: exact but for one rounding where the result is subnormal.
mlir::Value scale(const Arithmetic &a, mlir::Value x, mlir::Value n);

/// Whether the type is vectors of f32 that one instruction scales, by any power of two.
bool scalesInOne(const Arithmetic &a);
/// `scale` by that instruction, of x below 2; zero where the result does not count, and if that is not said where it
/// rounds to zero.
mlir::Value scaleInOne(const Arithmetic &a, mlir::Value x, mlir::Value n, mlir::Value counts = {});
/// e^x or 2^x by a table where one instruction scales.
mlir::Value exponentialByTable(const Arithmetic &a, mlir::Value x, bool natural, mlir::Value counts = {});

/// Replaces `Op` of f32 by what `expand` emits; where it emits nothing, the operation stays.
template <typename Op> struct ExpandSingle : mlir::OpRewritePattern<Op> {
  using Function = mlir::Value (*)(const Arithmetic &, Op);
  ExpandSingle(mlir::MLIRContext *context, int64_t vectorBits, Function expand)
      : mlir::OpRewritePattern<Op>(context, /*benefit=*/3), vectorBits(vectorBits), expand(expand) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!mlir::getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    mlir::Value result = expand(Arithmetic{rewriter, op.getLoc(), op.getType(), vectorBits}, op);
    if (!result)
      return rewriter.notifyMatchFailure(op, "may be approximated");
    rewriter.replaceOp(op, result);
    return mlir::success();
  }

private:
  int64_t vectorBits;
  Function expand;
};

/// sin, cos, tan and atan2 of f32.
void populateTrigonometry(mlir::RewritePatternSet &patterns, int64_t vectorBits);
/// log, log2, pow, sinh, cosh and tanh of f32.
void populateExponentials(mlir::RewritePatternSet &patterns, int64_t vectorBits);
/// Whatever is of f16 or bf16.
void populateHalves(mlir::RewritePatternSet &patterns, int64_t vectorBits);
/// f32 to bf16 on vectors of 512 bits.
void populateRounding(mlir::RewritePatternSet &patterns);

} // namespace tilewright::cpu

#endif
