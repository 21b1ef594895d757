// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer and float arithmetic, comparisons, select.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

//===-- floats ------------------------------------------------------------===//

static LogicalResult refuseRounding(Emitter &emit, ct::RoundingMode mode) {
  return emit.refuse(" with rounding mode '" + ct::stringifyRoundingMode(mode) + "'");
}

/// An operation of arith or math where that rounds as asked; the inexact modes give it permission not to.
template <typename Op, typename Twin> static void addRounded(Lowerings &lowerings, aa::FloatKind kind) {
  lowerings.add<Op>([kind](Op op, typename Op::Adaptor operands, Emitter &emit) {
    Type type = emit.resultType();
    aa::Rounding rounding = getRounding(op.getRoundingMode());
    // An fma of halves is not one of f32, rounded.
    bool isNarrowFma = kind == aa::FloatKind::Fma && getElementTypeOrSelf(type).getIntOrFloatBitWidth() < 32;
    if (rounding != aa::Rounding::NearestEven || op.getFlushToZero() || isNarrowFma)
      return emit.replace(
          emit.create<aa::FloatOp>(type, kind, operands.getOperands(), rounding, op.getFlushToZero()).getResult());
    auto twin = emit.create<Twin>(type, operands.getOperands());
    if (op.getRoundingMode() != ct::RoundingMode::NearestEven)
      twin.setFastmath(arith::FastMathFlags::afn);
    return emit.replace(twin->getResults());
  });
}

/// In a reduction, where the order is free, it is also free which zero is the larger.
template <typename Op, typename Propagating, typename Ignoring>
static void addExtremum(Lowerings &lowerings, aa::FloatKind propagating, aa::FloatKind ignoring) {
  lowerings.add<Op>([=](Op op, typename Op::Adaptor operands, Emitter &emit) {
    if (!isa<aa::ReduceOp, ct::ReduceOp>(op->getParentOp()) || op.getFlushToZero())
      return emit.replace(emit.create<aa::FloatOp>(emit.resultType(), op.getPropagateNan() ? propagating : ignoring,
                                                   operands.getOperands(), aa::Rounding::NearestEven,
                                                   op.getFlushToZero())
                              .getResult());
    if (op.getPropagateNan())
      return emit.replace(emit.create<Propagating>(operands.getLhs(), operands.getRhs())->getResults());
    return emit.replace(emit.create<Ignoring>(operands.getLhs(), operands.getRhs())->getResults());
  });
}

static arith::CmpFPredicate getPredicate(ct::ComparisonPredicate predicate, ct::ComparisonOrdering ordering) {
  using P = arith::CmpFPredicate;
  // By the values of ComparisonPredicate, then unordered and ordered.
  static constexpr P table[][2] = {{P::UEQ, P::OEQ}, {P::UNE, P::ONE}, {P::ULT, P::OLT},
                                   {P::ULE, P::OLE}, {P::UGT, P::OGT}, {P::UGE, P::OGE}};
  return table[static_cast<unsigned>(predicate)][static_cast<unsigned>(ordering)];
}

static arith::CmpIPredicate getPredicate(ct::ComparisonPredicate predicate, ct::Signedness signedness) {
  using P = arith::CmpIPredicate;
  // By the values of ComparisonPredicate, then unsigned and signed.
  static constexpr P table[][2] = {{P::eq, P::eq},   {P::ne, P::ne},   {P::ult, P::slt},
                                   {P::ule, P::sle}, {P::ugt, P::sgt}, {P::uge, P::sge}};
  return table[static_cast<unsigned>(predicate)][static_cast<unsigned>(signedness)];
}

//===-- integers ----------------------------------------------------------===//

/// The divisor, changed to 1 where the division would trap or has no value.
static Value makeSafeDivisor(Emitter &emit, Value lhs, Value rhs, bool isSigned) {
  Type type = rhs.getType();
  if (std::optional<APInt> known = getConstantInt(rhs); known && !known->isZero() && !(isSigned && known->isAllOnes()))
    return rhs;
  Value unsafe = emit.create<arith::CmpIOp>(arith::CmpIPredicate::eq, rhs, emit.constant(type, 0));
  if (isSigned) {
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Value isMinusOne = emit.create<arith::CmpIOp>(arith::CmpIPredicate::eq, rhs, emit.constant(type, -1));
    Value smallest = emit.constant(type, APInt::getSignedMinValue(width));
    Value isSmallest = emit.create<arith::CmpIOp>(arith::CmpIPredicate::eq, lhs, smallest);
    Value overflows = emit.create<arith::AndIOp>(isMinusOne, isSmallest);
    unsafe = emit.create<arith::OrIOp>(unsafe, overflows);
  }
  return emit.create<arith::SelectOp>(unsafe, emit.constant(type, 1), rhs);
}

static LogicalResult lowerDiv(ct::DivIOp op, ct::DivIOp::Adaptor operands, Emitter &emit) {
  bool isSigned = op.getSignedness() == ct::Signedness::Signed;
  Value lhs = operands.getLhs(), rhs = operands.getRhs();
  ct::RoundingMode mode = op.getRounding();
  if (mode == ct::RoundingMode::NegativeInf && isSigned) {
    // The floor of a quotient by a power of two is a shift.
    if (std::optional<APInt> known = getConstantInt(rhs); known && known->isPowerOf2() && !known->isSignMask())
      return emit.replace(
          emit.make<arith::ShRSIOp>(lhs, emit.constant(rhs.getType(), APInt(known->getBitWidth(), known->logBase2()))));
  }
  rhs = makeSafeDivisor(emit, lhs, rhs, isSigned);
  switch (mode) {
  case ct::RoundingMode::Zero:
    return emit.replace(isSigned ? emit.make<arith::DivSIOp>(lhs, rhs) : emit.make<arith::DivUIOp>(lhs, rhs));
  case ct::RoundingMode::NegativeInf:
    return emit.replace(isSigned ? emit.make<arith::FloorDivSIOp>(lhs, rhs) : emit.make<arith::DivUIOp>(lhs, rhs));
  case ct::RoundingMode::PositiveInf:
    return emit.replace(isSigned ? emit.make<arith::CeilDivSIOp>(lhs, rhs) : emit.make<arith::CeilDivUIOp>(lhs, rhs));
  default:
    return refuseRounding(emit, mode);
  }
}

static LogicalResult lowerRem(ct::RemIOp op, ct::RemIOp::Adaptor operands, Emitter &emit) {
  bool isSigned = op.getSignedness() == ct::Signedness::Signed;
  Value lhs = operands.getLhs();
  Value rhs = makeSafeDivisor(emit, lhs, operands.getRhs(), isSigned);
  return emit.replace(isSigned ? emit.make<arith::RemSIOp>(lhs, rhs) : emit.make<arith::RemUIOp>(lhs, rhs));
}

/// The high half of an unsigned product, by a product in twice the width. (arith's extended product has two results,
/// which what unrolls vectors of several dimensions cannot do.)
static LogicalResult lowerMulhi(ct::MulhiIOp, ct::MulhiIOp::Adaptor operands, Emitter &emit) {
  Type type = emit.resultType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type wide = withElementType(type, emit.rewriter.getIntegerType(2 * width));
  Value x = emit.create<arith::ExtUIOp>(wide, operands.getX()), y = emit.create<arith::ExtUIOp>(wide, operands.getY());
  Value product = emit.create<arith::MulIOp>(x, y);
  Value high = emit.create<arith::ShRUIOp>(product, emit.constant(wide, APInt(2 * width, width)));
  return emit.replace(emit.make<arith::TruncIOp>(type, high));
}

/// The shift amount modulo the width: an amount out of range would have no value.
static Value makeSafeAmount(Emitter &emit, Value amount) {
  Type type = amount.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (std::optional<APInt> known = getConstantInt(amount); known && known->ult(width))
    return amount;
  if (width == 1)
    return emit.constant(type, 0);
  return emit.create<arith::AndIOp>(amount, emit.constant(type, width - 1));
}

template <typename Op, typename Signed, typename Unsigned> static void addBySign(Lowerings &lowerings) {
  lowerings.add<Op>([](Op op, typename Op::Adaptor operands, Emitter &emit) {
    if (op.getSignedness() == ct::Signedness::Signed)
      return emit.replace(emit.make<Signed>(operands.getLhs(), operands.getRhs()));
    return emit.replace(emit.make<Unsigned>(operands.getLhs(), operands.getRhs()));
  });
}

/// Wrapping arithmetic. Promises about overflow are not passed on: poison is worse than a wrapped value.
template <typename Op, typename Twin> static void addWrapping(Lowerings &lowerings) {
  lowerings.add<Op>([](Op, typename Op::Adaptor operands, Emitter &emit) {
    return emit.replace(emit.make<Twin>(operands.getLhs(), operands.getRhs()));
  });
}

void tilewright::populateArith(Lowerings &lowerings) {
  using Kind = aa::FloatKind;
  addRounded<ct::AddFOp, arith::AddFOp>(lowerings, Kind::Add);
  addRounded<ct::SubFOp, arith::SubFOp>(lowerings, Kind::Sub);
  addRounded<ct::MulFOp, arith::MulFOp>(lowerings, Kind::Mul);
  addRounded<ct::DivFOp, arith::DivFOp>(lowerings, Kind::Div);
  addRounded<ct::FmaOp, math::FmaOp>(lowerings, Kind::Fma);
  addExtremum<ct::MaxFOp, arith::MaximumFOp, arith::MaxNumFOp>(lowerings, Kind::Maximum, Kind::Max);
  addExtremum<ct::MinFOp, arith::MinimumFOp, arith::MinNumFOp>(lowerings, Kind::Minimum, Kind::Min);
  lowerings.addTwin<ct::NegFOp, arith::NegFOp>();
  lowerings.addTwin<ct::AbsFOp, math::AbsFOp>();
  lowerings.add<ct::RemFOp>([](ct::RemFOp, ct::RemFOp::Adaptor operands, Emitter &emit) {
    // Of halves in f32, where it is exact.
    auto element = cast<FloatType>(getElementTypeOrSelf(emit.resultType()));
    auto wide = element.getWidth() < 32 ? Float32Type::get(element.getContext()) : element;
    Value lhs = convertFloat(emit.rewriter, emit.loc, operands.getLhs(), wide);
    Value rhs = convertFloat(emit.rewriter, emit.loc, operands.getRhs(), wide);
    return emit.replace(convertFloat(emit.rewriter, emit.loc, emit.create<arith::RemFOp>(lhs, rhs), element));
  });
  lowerings.add<ct::CmpFOp>([](ct::CmpFOp op, ct::CmpFOp::Adaptor operands, Emitter &emit) {
    auto predicate = getPredicate(op.getComparisonPredicate(), op.getComparisonOrdering());
    return emit.replace(emit.make<arith::CmpFOp>(predicate, operands.getLhs(), operands.getRhs()));
  });

  addWrapping<ct::AddIOp, arith::AddIOp>(lowerings);
  addWrapping<ct::SubIOp, arith::SubIOp>(lowerings);
  addWrapping<ct::MulIOp, arith::MulIOp>(lowerings);
  addWrapping<ct::AndIOp, arith::AndIOp>(lowerings);
  addWrapping<ct::OrIOp, arith::OrIOp>(lowerings);
  addWrapping<ct::XOrIOp, arith::XOrIOp>(lowerings);
  addBySign<ct::MaxIOp, arith::MaxSIOp, arith::MaxUIOp>(lowerings);
  addBySign<ct::MinIOp, arith::MinSIOp, arith::MinUIOp>(lowerings);
  lowerings.addTwin<ct::AbsIOp, math::AbsIOp>();
  lowerings.add<ct::NegIOp>([](ct::NegIOp, ct::NegIOp::Adaptor operands, Emitter &emit) {
    return emit.replace(emit.make<arith::SubIOp>(emit.constant(emit.resultType(), 0), operands.getSource()));
  });
  lowerings.add<ct::MulhiIOp>(lowerMulhi);
  lowerings.add<ct::ShLIOp>([](ct::ShLIOp, ct::ShLIOp::Adaptor operands, Emitter &emit) {
    return emit.replace(emit.make<arith::ShLIOp>(operands.getLhs(), makeSafeAmount(emit, operands.getRhs())));
  });
  lowerings.add<ct::ShRIOp>([](ct::ShRIOp op, ct::ShRIOp::Adaptor operands, Emitter &emit) {
    Value amount = makeSafeAmount(emit, operands.getRhs());
    if (op.getSignedness() == ct::Signedness::Signed)
      return emit.replace(emit.make<arith::ShRSIOp>(operands.getLhs(), amount));
    return emit.replace(emit.make<arith::ShRUIOp>(operands.getLhs(), amount));
  });
  lowerings.add<ct::DivIOp>(lowerDiv);
  lowerings.add<ct::RemIOp>(lowerRem);
  lowerings.add<ct::CmpIOp>([](ct::CmpIOp op, ct::CmpIOp::Adaptor operands, Emitter &emit) {
    auto predicate = getPredicate(op.getComparisonPredicate(), op.getSignedness());
    return emit.replace(emit.make<arith::CmpIOp>(predicate, operands.getLhs(), operands.getRhs()));
  });
  lowerings.add<ct::SelectOp>([](ct::SelectOp, ct::SelectOp::Adaptor operands, Emitter &emit) {
    return emit.replace(
        emit.make<arith::SelectOp>(operands.getCond(), operands.getValIfTrue(), operands.getValIfFalse()));
  });
}
