// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directed rounding on hardware that rounds to nearest: round, then step to the other neighbour where it is wanted.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::isDirected(ct::RoundingMode mode) {
  return mode == ct::RoundingMode::Zero || mode == ct::RoundingMode::NegativeInf ||
         mode == ct::RoundingMode::PositiveInf;
}

Value tilewright::asBits(Emitter &emit, Value value) {
  Type bits = IntegerType::get(value.getContext(), getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth());
  return emit.make<arith::BitcastOp>(withElementType(value.getType(), bits), value);
}

/// Whether `value` lies above (or below) the exact result, of which `sum` is the leading and `rest` the trailing part.
static Value isBeyond(Emitter &emit, bool above, Value value, Value sum, Value rest) {
  auto predicate = above ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  Value beyond = emit.create<arith::CmpFOp>(predicate, value, sum);
  if (!rest)
    return beyond;
  Value isSum = emit.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, value, sum);
  Value zero = emit.constant(rest.getType(), 0);
  Value restBeyond = emit.create<arith::CmpFOp>(predicate, zero, rest);
  return emit.create<arith::OrIOp>(beyond, emit.create<arith::AndIOp>(isSum, restBeyond));
}

Value tilewright::correctRounding(Emitter &emit, Value sum, Value rest, Value nearest, ct::RoundingMode mode) {
  auto wide = cast<FloatType>(getElementTypeOrSelf(sum.getType()));
  Value back = convertFloat(emit.rewriter, emit.loc, nearest, wide);
  Value bits = asBits(emit, nearest);
  Type type = bits.getType();
  // The bits of a float count magnitudes, so its neighbours are one more and one less.
  Value one = emit.constant(type, 1);
  Value larger = emit.create<arith::AddIOp>(bits, one);
  Value smaller = emit.create<arith::SubIOp>(bits, one);
  Value isNegative = emit.create<arith::CmpIOp>(arith::CmpIPredicate::slt, bits, emit.constant(type, 0));
  Value up = emit.create<arith::SelectOp>(isNegative, smaller, larger);
  Value down = emit.create<arith::SelectOp>(isNegative, larger, smaller);
  Value isAbove = isBeyond(emit, /*above=*/true, back, sum, rest);
  Value isBelow = isBeyond(emit, /*above=*/false, back, sum, rest);
  Value corrected;
  if (mode == ct::RoundingMode::NegativeInf) {
    corrected = emit.create<arith::SelectOp>(isAbove, down, bits);
  } else if (mode == ct::RoundingMode::PositiveInf) {
    corrected = emit.create<arith::SelectOp>(isBelow, up, bits);
  } else {
    Value isWrong = emit.create<arith::SelectOp>(isNegative, isBelow, isAbove);
    corrected = emit.create<arith::SelectOp>(isWrong, smaller, bits);
  }
  return emit.make<arith::BitcastOp>(nearest.getType(), corrected);
}

//===-- arithmetic --------------------------------------------------------===//

namespace {
/// An exact result as an f64 and what rounding it to f64 lost; of the rest only the sign counts.
struct Exact {
  Value sum, rest;
};
} // namespace

/// Knuth's sum: the rest is exact.
static Exact addExactly(Emitter &emit, Value lhs, Value rhs) {
  Value sum = emit.create<arith::AddFOp>(lhs, rhs);
  Value rhsPart = emit.create<arith::SubFOp>(sum, lhs);
  Value lhsPart = emit.create<arith::SubFOp>(sum, rhsPart);
  Value lhsRest = emit.create<arith::SubFOp>(lhs, lhsPart);
  Value rhsRest = emit.create<arith::SubFOp>(rhs, rhsPart);
  return {sum, emit.create<arith::AddFOp>(lhsRest, rhsRest)};
}

static Exact computeExactly(Emitter &emit, Operation *op, ArrayRef<Value> wide) {
  // A product of two floats of at most 24 bits is exact in f64.
  if (isa<ct::MulFOp>(op))
    return {emit.create<arith::MulFOp>(wide[0], wide[1]), Value()};
  if (isa<ct::FmaOp>(op))
    return addExactly(emit, emit.create<arith::MulFOp>(wide[0], wide[1]), wide[2]);
  if (isa<ct::SubFOp>(op))
    return addExactly(emit, wide[0], emit.create<arith::NegFOp>(wide[1]));
  if (isa<ct::AddFOp>(op))
    return addExactly(emit, wide[0], wide[1]);
  // What is left after the quotient or root, signed like the missing part of it.
  if (isa<ct::SqrtOp>(op)) {
    Value root = emit.create<math::SqrtOp>(wide[0]);
    return {root, emit.create<math::FmaOp>(emit.create<arith::NegFOp>(root), root, wide[0])};
  }
  Value quotient = emit.create<arith::DivFOp>(wide[0], wide[1]);
  Value rest = emit.create<math::FmaOp>(emit.create<arith::NegFOp>(quotient), wide[1], wide[0]);
  return {quotient, emit.create<math::CopySignOp>(rest, emit.create<arith::MulFOp>(rest, wide[1]))};
}

LogicalResult tilewright::lowerDirected(Emitter &emit, Operation *op, ValueRange operands, ct::RoundingMode mode) {
  auto element = cast<FloatType>(getElementTypeOrSelf(emit.resultType()));
  if (!isDirected(mode) || element.getWidth() > 32)
    return emit.refuse(" with rounding mode '" + ct::stringifyRoundingMode(mode) + "'");
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(convertFloat(emit.rewriter, emit.loc, operand, emit.rewriter.getF64Type()));
  Exact exact = computeExactly(emit, op, wide);
  Value nearest = convertFloat(emit.rewriter, emit.loc, exact.sum, element);
  return emit.replace(correctRounding(emit, exact.sum, exact.rest, nearest, mode));
}
