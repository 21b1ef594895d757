// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/functions/Arithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright::functions;

Type Arithmetic::like(Type element) const {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}
Value Arithmetic::splat(TypedAttr element, Type to) const {
  if (auto shaped = dyn_cast<ShapedType>(to))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(shaped, Attribute(element)));
  return arith::ConstantOp::create(builder, loc, element);
}
Value Arithmetic::constant(double value) const {
  return splat(builder.getFloatAttr(getElementTypeOrSelf(type), value), type);
}
Value Arithmetic::integer(int64_t value, Type element) const {
  return splat(builder.getIntegerAttr(element, value), like(element));
}
Value Arithmetic::add(Value a, Value b) const {
  return arith::AddFOp::create(builder, loc, a, b);
}
Value Arithmetic::sub(Value a, Value b) const {
  return arith::SubFOp::create(builder, loc, a, b);
}
Value Arithmetic::mul(Value a, Value b) const {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value Arithmetic::div(Value a, Value b) const {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value Arithmetic::fma(Value a, Value b, Value c) const {
  return math::FmaOp::create(builder, loc, a, b, c);
}
Value Arithmetic::negate(Value x) const {
  return arith::NegFOp::create(builder, loc, x);
}
Value Arithmetic::abs(Value x) const {
  return math::AbsFOp::create(builder, loc, x);
}
Value Arithmetic::roundEven(Value x) const {
  return math::RoundEvenOp::create(builder, loc, x);
}
Value Arithmetic::copySign(Value magnitude, Value sign) const {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}
Value Arithmetic::select(Value condition, Value a, Value b) const {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value Arithmetic::compare(arith::CmpFPredicate predicate, Value a, Value b) const {
  return arith::CmpFOp::create(builder, loc, predicate, a, b);
}
Value Arithmetic::compare(arith::CmpFPredicate predicate, Value a, double b) const {
  return compare(predicate, a, constant(b));
}
Value Arithmetic::clamp(Value x, double low, double high) const {
  x = select(compare(arith::CmpFPredicate::OLT, x, low), constant(low), x);
  return select(compare(arith::CmpFPredicate::OGT, x, high), constant(high), x);
}
Value Arithmetic::polynomial(Value x, ArrayRef<double> coefficients) const {
  Value sum = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constant(coefficient));
  return sum;
}
Value Arithmetic::convert(Value x) const {
  if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < getElementTypeOrSelf(type).getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, x);
  return arith::TruncFOp::create(builder, loc, type, x);
}
IntegerType Arithmetic::bitsType() const {
  return builder.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
}
Value Arithmetic::bits(Value x) const {
  return arith::BitcastOp::create(builder, loc, like(bitsType()), x);
}
Value Arithmetic::fromBits(Value x) const {
  return arith::BitcastOp::create(builder, loc, type, x);
}
