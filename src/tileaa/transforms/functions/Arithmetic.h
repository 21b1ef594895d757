// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_ARITHMETIC_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright::functions {

class TargetFunctions;

/// Emits arithmetic of one floating-point type, on scalars, vectors and tiles alike.
struct Arithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  const TargetFunctions *target = nullptr; // functions that the target implements differently, if any

  using Value = mlir::Value;

  /// The same shape with other elements.
  mlir::Type like(mlir::Type element) const;
  Arithmetic in(mlir::Type element) const { return {builder, loc, like(element), target}; }

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

} // namespace tilewright::functions

#endif
