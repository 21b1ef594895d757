// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions written as arithmetic on scalars and vectors alike.
#ifndef TILEWRIGHT_CPU_EXPANDMATH_H
#define TILEWRIGHT_CPU_EXPANDMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::cpu {

/// Emits scalar or vector arithmetic of one floating-point type.
struct Arithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  int64_t vectorBits; // of the machine

  using Value = mlir::Value;

  /// The same shape with other elements.
  mlir::Type like(mlir::Type element) const;
  Arithmetic in(mlir::Type element) const { return {builder, loc, like(element), vectorBits}; }

  Value constant(double value) const;
  Value integer(int64_t value, mlir::Type element) const;

  Value add(Value a, Value b) const;
  Value sub(Value a, Value b) const;
  Value mul(Value a, Value b) const;
  Value div(Value a, Value b) const;
  Value fma(Value a, Value b, Value c) const;
  Value negate(Value x) const;
  Value abs(Value x) const;
  Value roundEven(Value x) const;
  /// The magnitude of one, the sign of the other.
  Value copySign(Value magnitude, Value sign) const;
  Value select(Value condition, Value a, Value b) const;
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) const;
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, double b) const;
  /// Bounds x; a NaN stays one, because a comparison with it is false.
  Value clamp(Value x, double low, double high) const;
  /// The coefficients from the constant one upwards.
  Value polynomial(Value x, mlir::ArrayRef<double> coefficients) const;

  /// Rounds or widens to this type.
  Value convert(Value x) const;
  /// The bits of a value of this type as an integer, and back.
  Value bits(Value x) const;
  Value fromBits(Value x) const;
  mlir::IntegerType bitsType() const;

private:
  Value splat(mlir::TypedAttr element, mlir::Type to) const;
};

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
/// f32 to bf16 on vectors of 512 bits.
void populateRounding(mlir::RewritePatternSet &patterns);

} // namespace tilewright::cpu

#endif
