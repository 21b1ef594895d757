// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/legalize/Expr.h"

using namespace mlir;

namespace tilewright::legalize {

Type Expr::like(Type newElement) const {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  return shaped ? Type(shaped.clone(newElement)) : newElement;
}

static TypedAttr splat(Type type, TypedAttr element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? TypedAttr(DenseElementsAttr::get(shaped, Attribute(element))) : element;
}

Expr Expr::integer(Type newElement, uint64_t number) const {
  APInt wanted(newElement.getIntOrFloatBitWidth(), number, /*isSigned=*/false, /*implicitTrunc=*/true);
  return make<arith::ConstantOp>(splat(like(newElement), IntegerAttr::get(newElement, wanted)));
}

Expr Expr::real(const APFloat &number) const {
  return make<arith::ConstantOp>(splat(value.getType(), FloatAttr::get(element(), number)));
}

Expr Expr::real(double number) const {
  return make<arith::ConstantOp>(splat(value.getType(), FloatAttr::get(element(), number)));
}

Expr Expr::bits() const {
  return as(builder->getIntegerType(width()));
}

Expr Expr::as(Type newElement) const {
  return element() == newElement ? *this : make<arith::BitcastOp>(like(newElement), value);
}

Expr Expr::extended(unsigned newWidth) const {
  if (width() == newWidth)
    return *this;
  return make<arith::ExtUIOp>(like(builder->getIntegerType(newWidth)), value);
}

Expr Expr::truncated(unsigned newWidth) const {
  if (width() == newWidth)
    return *this;
  return make<arith::TruncIOp>(like(builder->getIntegerType(newWidth)), value);
}

Expr Expr::inFloat(FloatType newElement) const {
  if (element() == newElement)
    return *this;
  if (newElement.getWidth() > width())
    return make<arith::ExtFOp>(like(newElement), value);
  return make<arith::TruncFOp>(like(newElement), value);
}

Expr Expr::toFloat(FloatType newElement, bool isUnsigned) const {
  if (isUnsigned)
    return make<arith::UIToFPOp>(like(newElement), value);
  return make<arith::SIToFPOp>(like(newElement), value);
}

Expr Expr::operator-() const {
  return isFloat() ? make<arith::NegFOp>(value) : 0 - *this;
}

Expr Expr::operator~() const {
  return *this ^ integer(~uint64_t(0));
}

Expr Expr::isNegative() const {
  return bits() < 0;
}

Expr operator+(const Expr &a, const Expr &b) {
  return a.isFloat() ? a.make<arith::AddFOp>(a.value, b.value) : a.make<arith::AddIOp>(a.value, b.value);
}

Expr operator-(const Expr &a, const Expr &b) {
  return a.isFloat() ? a.make<arith::SubFOp>(a.value, b.value) : a.make<arith::SubIOp>(a.value, b.value);
}

Expr operator*(const Expr &a, const Expr &b) {
  return a.isFloat() ? a.make<arith::MulFOp>(a.value, b.value) : a.make<arith::MulIOp>(a.value, b.value);
}

Expr operator==(const Expr &a, const Expr &b) {
  if (a.isFloat())
    return a.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a.value, b.value);
  return a.make<arith::CmpIOp>(arith::CmpIPredicate::eq, a.value, b.value);
}

Expr operator!=(const Expr &a, const Expr &b) {
  if (a.isFloat())
    return a.make<arith::CmpFOp>(arith::CmpFPredicate::UNE, a.value, b.value);
  return a.make<arith::CmpIOp>(arith::CmpIPredicate::ne, a.value, b.value);
}

Expr operator<(const Expr &a, const Expr &b) {
  if (a.isFloat())
    return a.make<arith::CmpFOp>(arith::CmpFPredicate::OLT, a.value, b.value);
  return a.make<arith::CmpIOp>(arith::CmpIPredicate::slt, a.value, b.value);
}

Expr select(const Expr &condition, const Expr &yes, const Expr &no) {
  return yes.make<arith::SelectOp>(condition, yes, no);
}

Expr larger(const Expr &a, const Expr &b) {
  return a.make<arith::MaxSIOp>(a, b);
}

Expr smaller(const Expr &a, const Expr &b) {
  return a.make<arith::MinSIOp>(a, b);
}

Expr fma(const Expr &a, const Expr &b, const Expr &c) {
  return a.make<math::FmaOp>(a, b, c);
}

Expr copySign(const Expr &magnitude, const Expr &sign) {
  return magnitude.make<math::CopySignOp>(magnitude, sign);
}

} // namespace tilewright::legalize
