// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions as arithmetic, written once: every target computes them by the same operations, and gets the
// same bits but where it says that it does otherwise. docs/numerics.md has the errors.
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_FUNCTIONS_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_FUNCTIONS_H

#include "tileaa/transforms/functions/Arithmetic.h"

#include "mlir/IR/PatternMatch.h"

namespace tilewright::functions {

/// The functions that a target has instructions for, by type.
class TargetFunctions {
public:
  virtual ~TargetFunctions() = default;
  /// Whether a later stage of the target takes this operation as it is.
  virtual bool keeps(mlir::Operation *op) const { return false; }
  /// Whether exp, exp2 and rsqrt of this type are not expanded, for a later stage of the target.
  virtual bool keepsExponentials(const Arithmetic &a) const { return false; }
  /// Whether rough instructions give 2^x and quotients of this type within two units of the last place.
  virtual bool hasRoughInstructions(const Arithmetic &a) const { return false; }
  /// Whether one instruction scales by any power of two; then the two others are called.
  virtual bool scalesInOne(const Arithmetic &a) const { return false; }
  /// `scale` by that instruction, of x below 2; zero where the result does not count, and if that is not said where it
  /// rounds to zero.
  virtual mlir::Value scale(const Arithmetic &a, mlir::Value x, mlir::Value n, mlir::Value counts) const {
    llvm_unreachable("the target does not scale in one instruction");
  }
  /// e^x or 2^x.
  virtual mlir::Value exponential(const Arithmetic &a, mlir::Value x, bool natural, mlir::Value counts) const {
    llvm_unreachable("the target does not scale in one instruction");
  }
};

/// e^x or 2^x as mantissa * 2^exponent, the mantissa between 0.7 and 1.42, the exponent a whole number.
struct Exponential {
  mlir::Value mantissa, exponent;
};
Exponential splitExponential(const Arithmetic &a, mlir::Value x, bool natural);

/// x * 2^n for a whole n within twice the exponent range: exact but for one rounding where the result is subnormal.
mlir::Value scale(const Arithmetic &a, mlir::Value x, mlir::Value n);
/// 2^n for an integer n that is a normal exponent.
mlir::Value powerOfTwo(const Arithmetic &a, mlir::Value n);
/// A whole n of up to 22 bits as an integer. A NaN gives some integer: its conversion would be poison, and with it
/// the product that hands the NaN on.
mlir::Value wholeNumber(const Arithmetic &a, mlir::Value n);

/// A power that needs no logarithm, as its exponent is a certain constant; else nothing.
mlir::Value simplePower(const Arithmetic &a, mlir::Value x, mlir::Value y);
/// x to the y where |x| to the y is `power`: the sign, and NaN where no number is.
mlir::Value finishPower(const Arithmetic &a, mlir::Value x, mlir::Value y, mlir::Value power);

/// Replaces `Op` of a type by the value that `expand` emits; without a value the operation stays.
template <typename Op, typename Element> struct Expand : mlir::OpRewritePattern<Op> {
  using Function = mlir::Value (*)(const Arithmetic &, Op);
  Expand(mlir::MLIRContext *context, const TargetFunctions *target, Function expand)
      : mlir::OpRewritePattern<Op>(context, /*benefit=*/3), target(target), expand(expand) {}

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!mlir::isa<Element>(mlir::getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "of another type");
    if (target && target->keeps(op))
      return rewriter.notifyMatchFailure(op, "of the target");
    mlir::Value result = expand(Arithmetic{rewriter, op.getLoc(), op.getType(), target}, op);
    if (!result)
      return rewriter.notifyMatchFailure(op, "may be approximated");
    rewriter.replaceOp(op, result);
    return mlir::success();
  }

private:
  const TargetFunctions *target;
  Function expand;
};
template <typename Op> using ExpandSingle = Expand<Op, mlir::Float32Type>;
template <typename Op> using ExpandDouble = Expand<Op, mlir::Float64Type>;

/// exp, exp2, rsqrt and fpowi of f32 and f64.
void populateExponentials(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
/// `tileaa.float exp2` of f32 with `flush`, for targets without such an instruction.
void populateFlushedExp2(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
/// sinh, cosh and tanh of f32 and f64.
void populateHyperbolic(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
/// log, log2 and pow of f32.
void populateLogarithms(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
/// sin, cos, tan and atan2 of f32.
void populateTrigonometry(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
/// The same two groups for f64.
void populateDoubleLogarithms(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
void populateDoubleTrigonometry(mlir::RewritePatternSet &patterns, const TargetFunctions *target);
/// Functions of f16 and bf16 as those of f32, rounded, and signs as bits.
void populateHalves(mlir::RewritePatternSet &patterns);
/// All of these but the flushing one. The target lives as long as the patterns.
void populateFunctions(mlir::RewritePatternSet &patterns, const TargetFunctions *target);

/// An operation of halves as the same one of f32, rounded.
mlir::LogicalResult widenHalf(mlir::Operation *op, mlir::PatternRewriter &rewriter);

} // namespace tilewright::functions

#endif
