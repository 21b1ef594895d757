// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

static FloatType getFloat(Type type) {
  return cast<FloatType>(getElementTypeOrSelf(type));
}
static unsigned getWidth(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

Value tilewright::convertFloat(OpBuilder &builder, Location loc, Value value, FloatType to) {
  FloatType from = getFloat(value.getType());
  if (from == to)
    return value;
  Type type = withElementType(value.getType(), to);
  if (from.getWidth() < to.getWidth())
    return builder.createOrFold<arith::ExtFOp>(loc, type, value);
  if (from.getWidth() > to.getWidth())
    return builder.createOrFold<arith::TruncFOp>(loc, type, value);
  // f16 and bf16: f32 holds both exactly.
  return convertFloat(builder, loc, convertFloat(builder, loc, value, builder.getF32Type()), to);
}

//===-- rounding of floats ------------------------------------------------===//

/// Rounds f32 to the 11 significant bits of tf32, by integers: add what carries into the last kept bit, cut the rest.
static Value roundToTF32(Emitter &emit, Value value, ct::RoundingMode mode) {
  constexpr int64_t dropped = 13, mask = (1 << dropped) - 1;
  Value bits = asBits(emit, value);
  Type type = bits.getType();
  Value sum = bits;
  Value isNegative = emit.create<arith::CmpIOp>(arith::CmpIPredicate::slt, bits, emit.constant(type, 0));
  auto addMaskWhere = [&](bool negative) -> Value {
    Value whole = emit.constant(type, mask), none = emit.constant(type, 0);
    return emit.create<arith::SelectOp>(isNegative, negative ? whole : none, negative ? none : whole);
  };
  switch (mode) {
  case ct::RoundingMode::NearestEven: {
    Value last = emit.create<arith::ShRUIOp>(bits, emit.constant(type, dropped));
    last = emit.create<arith::AndIOp>(last, emit.constant(type, 1));
    sum = emit.create<arith::AddIOp>(bits, emit.create<arith::AddIOp>(last, emit.constant(type, mask >> 1)));
    break;
  }
  case ct::RoundingMode::NearestAway:
    sum = emit.create<arith::AddIOp>(bits, emit.constant(type, (mask >> 1) + 1));
    break;
  case ct::RoundingMode::PositiveInf:
    sum = emit.create<arith::AddIOp>(bits, addMaskWhere(/*negative=*/false));
    break;
  case ct::RoundingMode::NegativeInf:
    sum = emit.create<arith::AddIOp>(bits, addMaskWhere(/*negative=*/true));
    break;
  default:
    break;
  }
  Value cut = emit.create<arith::AndIOp>(sum, emit.constant(type, ~mask));
  Value rounded = emit.make<arith::BitcastOp>(value.getType(), cut);
  // Infinities and NaN stay.
  Value infinity = emit.constant(value.getType(), APFloat::getInf(APFloat::IEEEsingle()));
  Value isFinite = emit.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, emit.create<math::AbsFOp>(value), infinity);
  return emit.create<arith::SelectOp>(isFinite, rounded, value);
}

static LogicalResult refuseTypes(Emitter &emit, Type from, Type to) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << " from " << getElementTypeOrSelf(from) << " to " << getElementTypeOrSelf(to);
  return emit.refuse(text);
}

static LogicalResult lowerFToF(ct::FToFOp op, ct::FToFOp::Adaptor operands, Emitter &emit) {
  Type fromTile = op.getFrom().getType(), toTile = op.getTo().getType();
  Type fromElement = getElementTypeOrSelf(fromTile), toElement = getElementTypeOrSelf(toTile);
  ct::RoundingMode mode = op.getRoundingMode();
  Value source = operands.getFrom();
  if (fromElement == toElement)
    return emit.replace(source);
  if (getWidth(source.getType()) < 16 || getWidth(emit.resultType()) < 16)
    return refuseTypes(emit, fromTile, toTile);
  if (mode != ct::RoundingMode::NearestEven && !isDirected(mode) &&
      !(mode == ct::RoundingMode::NearestAway && toElement.isTF32() && fromElement.isF32()))
    return emit.refuse(" with rounding mode '" + ct::stringifyRoundingMode(mode) + "'");

  // A narrower source is exact. f64 to tf32 rounds twice, the first time to odd so that the second decides.
  FloatType to = getFloat(emit.resultType());
  bool narrows = getWidth(source.getType()) > to.getWidth();
  bool mixesHalves = !narrows && getWidth(source.getType()) == 16 && to.getWidth() == 16;
  if (mixesHalves)
    source = convertFloat(emit.rewriter, emit.loc, source, emit.rewriter.getF32Type());
  Value result = convertFloat(emit.rewriter, emit.loc, source, to);
  if (toElement.isTF32()) {
    if (fromElement.isF64()) {
      Value cut = correctRounding(emit, source, Value(), result, ct::RoundingMode::Zero);
      Value back = convertFloat(emit.rewriter, emit.loc, cut, getFloat(source.getType()));
      Value isInexact = emit.create<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, source);
      Value bits = asBits(emit, cut);
      Value odd = emit.create<arith::OrIOp>(bits, emit.constant(bits.getType(), 1));
      result = emit.make<arith::BitcastOp>(result.getType(), emit.create<arith::SelectOp>(isInexact, odd, bits));
    }
    if (fromElement.isF64() || fromElement.isF32())
      result = roundToTF32(emit, result, mode);
  } else if (isDirected(mode) && (narrows || mixesHalves)) {
    result = correctRounding(emit, source, Value(), result, mode);
  }
  return emit.replace(result);
}

//===-- floats and integers -----------------------------------------------===//

/// The integer part of a float. An operand outside of the range is brought to its nearest end first, since the
/// conversion has no value there; NaN becomes the lower end, or 0 where the operation saturates.
static LogicalResult lowerFToI(ct::FToIOp op, ct::FToIOp::Adaptor operands, Emitter &emit) {
  Value source = operands.getFrom();
  Type type = emit.resultType();
  if (getWidth(source.getType()) < 16)
    return refuseTypes(emit, op.getFrom().getType(), op.getTo().getType());
  if (getWidth(source.getType()) < 32)
    source = convertFloat(emit.rewriter, emit.loc, source, emit.rewriter.getF32Type());
  switch (op.getRoundingMode()) {
  case ct::RoundingMode::NearestIntToZero:
  case ct::RoundingMode::Zero:
    break;
  case ct::RoundingMode::NearestEven:
    source = emit.create<math::RoundEvenOp>(source);
    break;
  case ct::RoundingMode::NegativeInf:
    source = emit.create<math::FloorOp>(source);
    break;
  case ct::RoundingMode::PositiveInf:
    source = emit.create<math::CeilOp>(source);
    break;
  case ct::RoundingMode::NearestAway:
    source = emit.create<math::RoundOp>(source);
    break;
  default:
    return emit.refuse(" with rounding mode '" + ct::stringifyRoundingMode(op.getRoundingMode()) + "'");
  }

  using P = arith::CmpFPredicate;
  bool isSigned = op.getSignedness() == ct::Signedness::Signed;
  unsigned width = getWidth(type);
  APInt smallest = isSigned ? APInt::getSignedMinValue(width) : APInt::getZero(width);
  APInt largest = isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  const llvm::fltSemantics &semantics = getFloat(source.getType()).getFloatSemantics();
  APFloat low(semantics), high(semantics);
  low.convertFromAPInt(smallest, isSigned, APFloat::rmTowardZero);
  // The largest float that does not exceed the largest integer.
  high.convertFromAPInt(largest, isSigned, APFloat::rmTowardZero);
  Value lowest = emit.constant(source.getType(), low), highest = emit.constant(source.getType(), high);
  auto select = [&](P predicate, Value lhs, Value rhs, Value yes, Value no) -> Value {
    return emit.create<arith::SelectOp>(emit.create<arith::CmpFOp>(predicate, lhs, rhs), yes, no);
  };
  Value clamped = select(P::OGT, source, lowest, source, lowest);
  clamped = select(P::OLT, clamped, highest, clamped, highest);
  Value result;
  if (isSigned)
    result = emit.create<arith::FPToSIOp>(type, clamped);
  else
    result = emit.create<arith::FPToUIOp>(type, clamped);
  if (op.getSaturating()) {
    result = select(P::OGT, source, highest, emit.constant(type, largest), result);
    result = select(P::UNO, source, source, emit.constant(type, 0), result);
  }
  return emit.replace(result);
}

static LogicalResult lowerIToF(ct::IToFOp op, ct::IToFOp::Adaptor operands, Emitter &emit) {
  Type type = emit.resultType();
  if (getWidth(type) < 16)
    return refuseTypes(emit, op.getFrom().getType(), op.getTo().getType());
  ct::RoundingMode mode = op.getRoundingMode();
  bool isSigned = op.getSignedness() == ct::Signedness::Signed;
  Value source = operands.getFrom();
  FloatType element = getFloat(type);
  // Integers whose every value the float holds need no rounding.
  bool isExact = getWidth(source.getType()) - (isSigned ? 1 : 0) <= element.getFPMantissaWidth();
  if (mode != ct::RoundingMode::NearestEven && !isExact)
    return emit.refuse(" with rounding mode '" + ct::stringifyRoundingMode(mode) + "'");
  if (cast<ct::TileType>(op.getTo().getType()).getElementType().isTF32() && getWidth(source.getType()) > 8)
    return refuseTypes(emit, op.getFrom().getType(), op.getTo().getType());
  if (isSigned)
    return emit.replace(emit.make<arith::SIToFPOp>(type, source));
  return emit.replace(emit.make<arith::UIToFPOp>(type, source));
}

//===-- integers ----------------------------------------------------------===//

static LogicalResult lowerExtI(ct::ExtIOp op, ct::ExtIOp::Adaptor operands, Emitter &emit) {
  Value source = operands.getFrom();
  if (source.getType() == emit.resultType())
    return emit.replace(source);
  if (op.getSignedness() == ct::Signedness::Signed)
    return emit.replace(emit.make<arith::ExtSIOp>(emit.resultType(), source));
  return emit.replace(emit.make<arith::ExtUIOp>(emit.resultType(), source));
}

static LogicalResult lowerBitcast(ct::BitcastOp, ct::BitcastOp::Adaptor operands, Emitter &emit) {
  if (operands.getSource().getType() == emit.resultType())
    return emit.replace(operands.getSource());
  return emit.replace(emit.make<arith::BitcastOp>(emit.resultType(), operands.getSource()));
}

/// To i1 it is whether the number is not zero. Small formats are there as bits, of which only the sign does not count.
static LogicalResult lowerFToBool(ct::FToIOp op, ct::FToIOp::Adaptor operands, Emitter &emit) {
  Type from = op.getFrom().getType().getElementType();
  Value source = operands.getFrom();
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(from))
    return emit.replace(
        emit.make<arith::CmpFOp>(arith::CmpFPredicate::UNE, source, emit.constant(source.getType(), 0)));
  if (isa<Float8E8M0FNUType>(from))
    return emit.replace(emit.constant(emit.resultType(), 1));
  bool isTF32 = isa<FloatTF32Type>(from);
  Value bits = isTF32 ? asBits(emit, source) : source;
  if (!getElementTypeOrSelf(bits.getType()).isInteger())
    return lowerFToI(op, operands, emit);
  int64_t magnitude = isTF32                         ? 0x7FFFE000
                      : isa<ct::F8E5M3FNUType>(from) ? 0xFF
                      : isa<Float4E2M1FNType>(from)  ? 7
                                                     : 0x7F;
  Value kept = emit.create<arith::AndIOp>(bits, emit.constant(bits.getType(), magnitude));
  return emit.replace(emit.make<arith::CmpIOp>(arith::CmpIPredicate::ne, kept, emit.constant(bits.getType(), 0)));
}

void tilewright::populateConvert(Lowerings &lowerings) {
  lowerings.add<ct::FToFOp>(lowerFToF);
  lowerings.add<ct::FToIOp>([](ct::FToIOp op, ct::FToIOp::Adaptor operands, Emitter &emit) {
    bool isBool = op.getTo().getType().getElementType().isInteger(1);
    return isBool ? lowerFToBool(op, operands, emit) : lowerFToI(op, operands, emit);
  });
  lowerings.add<ct::IToFOp>(lowerIToF);
  lowerings.add<ct::ExtIOp>(lowerExtI);
  lowerings.add<ct::TruncIOp>([](ct::TruncIOp, ct::TruncIOp::Adaptor operands, Emitter &emit) {
    return emit.replace(emit.make<arith::TruncIOp>(emit.resultType(), operands.getFrom()));
  });
  lowerings.add<ct::BitcastOp>(lowerBitcast);
  lowerings.addIdentity<ct::IntToPtrOp>();
  lowerings.addIdentity<ct::PtrToIntOp>();
  lowerings.addIdentity<ct::PtrToPtrOp>();
}
