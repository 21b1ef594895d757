// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_LEGALIZE_EXPR_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_LEGALIZE_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace tilewright::legalize {

/// A value under construction whose elements are integers, floats or truth values, with the operators of C++: a scalar,
/// a vector or a tile alike. A number next to it is a constant of its type.
///
///     Expr half = (one << shift) - 1;  Expr odd = select(rest != 0 & (q & 1) == 0, q + 1, q);
///
/// `>>` is logical; comparisons of integers are signed, of floats ordered, but for `!=`, which is true of NaN.
class Expr {
public:
  Expr(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value) : builder(&builder), loc(loc), value(value) {}
  operator mlir::Value() const { return value; }

  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(element()); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  /// This shape with other elements.
  mlir::Type like(mlir::Type newElement) const;

  Expr integer(uint64_t number) const { return integer(element(), number); }
  Expr integer(mlir::Type newElement, uint64_t number) const;
  Expr real(const llvm::APFloat &number) const;
  Expr real(double number) const;

  /// The same bits as integers, or as floats of a type.
  Expr bits() const;
  Expr as(mlir::Type newElement) const;
  /// Another width: of integers without their sign, or of floats.
  Expr extended(unsigned newWidth) const;
  Expr truncated(unsigned newWidth) const;
  Expr inFloat(mlir::FloatType newElement) const;
  /// An integer as the nearest float.
  Expr toFloat(mlir::FloatType newElement, bool isUnsigned) const;

  Expr shiftedRightSigned(const Expr &by) const { return make<mlir::arith::ShRSIOp>(value, by); }
  Expr abs() const { return make<mlir::math::AbsFOp>(value); }
  Expr operator-() const;
  Expr operator~() const;

  /// Whether the sign bit is set.
  Expr isNegative() const;
  Expr isNaN() const { return *this != *this; }

  template <typename Op, typename... Args> Expr make(Args &&...args) const {
    return Expr(*builder, loc, builder->createOrFold<Op>(loc, std::forward<Args>(args)...));
  }

  friend Expr operator+(const Expr &a, const Expr &b);
  friend Expr operator-(const Expr &a, const Expr &b);
  friend Expr operator*(const Expr &a, const Expr &b);
  friend Expr operator/(const Expr &a, const Expr &b) { return a.make<mlir::arith::DivFOp>(a.value, b.value); }
  friend Expr operator&(const Expr &a, const Expr &b) { return a.make<mlir::arith::AndIOp>(a.value, b.value); }
  friend Expr operator|(const Expr &a, const Expr &b) { return a.make<mlir::arith::OrIOp>(a.value, b.value); }
  friend Expr operator^(const Expr &a, const Expr &b) { return a.make<mlir::arith::XOrIOp>(a.value, b.value); }
  friend Expr operator<<(const Expr &a, const Expr &b) { return a.make<mlir::arith::ShLIOp>(a.value, b.value); }
  friend Expr operator>>(const Expr &a, const Expr &b) { return a.make<mlir::arith::ShRUIOp>(a.value, b.value); }
  friend Expr operator==(const Expr &a, const Expr &b);
  friend Expr operator!=(const Expr &a, const Expr &b);
  friend Expr operator<(const Expr &a, const Expr &b);
  friend Expr operator>(const Expr &a, const Expr &b) { return b < a; }

  friend Expr operator+(const Expr &a, int64_t b) { return a + a.number(b); }
  friend Expr operator-(const Expr &a, int64_t b) { return a - a.number(b); }
  friend Expr operator-(int64_t a, const Expr &b) { return b.number(a) - b; }
  friend Expr operator&(const Expr &a, uint64_t b) { return a & a.integer(b); }
  friend Expr operator|(const Expr &a, uint64_t b) { return a | a.integer(b); }
  friend Expr operator<<(const Expr &a, unsigned b) { return b ? a << a.integer(b) : a; }
  friend Expr operator>>(const Expr &a, unsigned b) { return b ? a >> a.integer(b) : a; }
  friend Expr operator==(const Expr &a, int64_t b) { return a == a.number(b); }
  friend Expr operator!=(const Expr &a, int64_t b) { return a != a.number(b); }
  friend Expr operator<(const Expr &a, int64_t b) { return a < a.number(b); }
  friend Expr operator>(const Expr &a, int64_t b) { return a > a.number(b); }

private:
  Expr number(int64_t value) const { return isFloat() ? real(static_cast<double>(value)) : integer(value); }

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

Expr select(const Expr &condition, const Expr &yes, const Expr &no);
Expr larger(const Expr &a, const Expr &b);  // of integers, signed
Expr smaller(const Expr &a, const Expr &b); // likewise
Expr fma(const Expr &a, const Expr &b, const Expr &c);
Expr copySign(const Expr &magnitude, const Expr &sign);

} // namespace tilewright::legalize

#endif
