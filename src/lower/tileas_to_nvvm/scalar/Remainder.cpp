// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float's magnitude is a whole number m times 2^e. With x = m 2^(e + d) and y = n 2^e the remainder is (m 2^d mod n)
// times 2^e: m mod n is shifted as far as 64 bits allow, reduced again, and so on until d is used up. For f32 that is
// at most 7 rounds, for f64 190; operands of like size take none.
#include "lower/tileas_to_nvvm/scalar/Remainder.h"

#include "tileaa/transforms/legalize/Expr.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using legalize::Expr;

namespace {

// A positive number as a 64-bit integer with the float's leading bit set, and its exponent field: 1 and less for what
// was subnormal.
struct Whole {
  Expr mantissa, exponent;
};

struct Format {
  unsigned mantissaBits, width;
  uint64_t infinity() const { return uint64_t(width == 32 ? 0xFF : 0x7FF) << mantissaBits; }
};

Expr leadingZeros(const Expr &x) {
  return x.make<math::CountLeadingZerosOp>(x);
}

// How far the leading bit is below that of a normal number.
Expr missingBits(const Expr &mantissa, Format format) {
  return leadingZeros(mantissa) - int64_t(63 - format.mantissaBits);
}

Whole takeApart(const Expr &magnitude, Format format) {
  Expr field = magnitude >> format.mantissaBits;
  Expr fraction = magnitude & ((uint64_t(1) << format.mantissaBits) - 1);
  Expr isSubnormal = field == 0;
  Expr shift = missingBits(fraction, format);
  return {select(isSubnormal, fraction << shift, fraction | uint64_t(1) << format.mantissaBits),
          select(isSubnormal, 1 - shift, field)};
}

Expr modulo(const Expr &a, const Expr &b) {
  return a.make<arith::RemUIOp>(a, b);
}

// The remainder's magnitude, of a finite x not below y > 0.
Expr divide(OpBuilder &b, Location loc, const Expr &xBits, const Expr &yBits, Format format) {
  Whole x = takeApart(xBits, format), y = takeApart(yBits, format);
  unsigned step = 63 - format.mantissaBits;
  Type i64 = b.getI64Type();
  auto loop = scf::WhileOp::create(b, loc, TypeRange{i64, i64},
                                   ValueRange{modulo(x.mantissa, y.mantissa), x.exponent - y.exponent});
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, {i64, i64}, {loc, loc});
  scf::ConditionOp::create(b, loc, Expr(b, loc, before->getArgument(1)) > 0, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, {i64, i64}, {loc, loc});
  Expr rest(b, loc, after->getArgument(0)), distance(b, loc, after->getArgument(1));
  Expr by = smaller(distance, distance.integer(step));
  scf::YieldOp::create(b, loc, ValueRange{modulo(rest << by, y.mantissa), distance - by});
  b.setInsertionPointAfter(loop);

  Expr result(b, loc, loop.getResult(0));
  Expr shift = missingBits(result, format);
  Expr exponent = y.exponent - shift;
  // The leading bit counts as one of the exponent field.
  Expr normal = (result << shift) + ((exponent - 1) << format.mantissaBits);
  Expr down = smaller(larger(1 - exponent, result.integer(0)), result.integer(63));
  Expr subnormal = (result << shift) >> down;
  return select(result == 0, result, select(exponent > 0, normal, subnormal));
}

} // namespace

func::FuncOp tilewright::remainderFunction(ModuleOp module, FloatType type) {
  std::string name = "tilewright_remainder_f" + std::to_string(type.getWidth());
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  MLIRContext *context = module.getContext();
  Location loc = UnknownLoc::get(context);
  auto b = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType({type, type}, {type}));
  function.setPrivate();
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  b.setInsertionPointToStart(function.addEntryBlock());

  Format format{type.getWidth() == 32 ? 23u : 52u, type.getWidth()};
  Expr x(b, loc, function.getArgument(0)), y(b, loc, function.getArgument(1));
  Expr sign = x.bits().extended(64) & (uint64_t(1) << (format.width - 1));
  Expr xBits = x.abs().bits().extended(64), yBits = y.abs().bits().extended(64);
  int64_t infinity = format.infinity();
  Expr isNone = (yBits == 0) | (yBits > infinity) | (xBits > infinity - 1);
  Expr isBelow = xBits < yBits;
  auto branch = scf::IfOp::create(b, loc, TypeRange{b.getI64Type()}, isNone | isBelow, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc,
                       Value(select(isNone, xBits.integer(infinity | int64_t(1) << (format.mantissaBits - 1)), xBits)));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, Value(divide(b, loc, xBits, yBits, format)));
  b.setInsertionPointAfter(branch);
  Expr result = Expr(b, loc, branch.getResult(0)) | sign;
  func::ReturnOp::create(b, loc, Value(result.truncated(format.width).as(type)));
  return function;
}
