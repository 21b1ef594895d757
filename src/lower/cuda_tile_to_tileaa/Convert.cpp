// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

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

Value tilewright::convertFormat(Emitter &emit, Value value, Type from, Type to, aa::Rounding rounding) {
  return emit.make<aa::ConvertOp>(withElementType(value.getType(), aa::storageOf(to)), value, from, to, rounding,
                                  /*isUnsigned=*/false, /*saturate=*/false);
}

aa::Rounding tilewright::getRounding(ct::RoundingMode mode) {
  switch (mode) {
  case ct::RoundingMode::Zero:
  case ct::RoundingMode::NearestIntToZero:
    return aa::Rounding::Zero;
  case ct::RoundingMode::NegativeInf:
    return aa::Rounding::NegativeInf;
  case ct::RoundingMode::PositiveInf:
    return aa::Rounding::PositiveInf;
  case ct::RoundingMode::NearestAway:
    return aa::Rounding::NearestAway;
  case ct::RoundingMode::NearestEven:
  case ct::RoundingMode::Approx:
  case ct::RoundingMode::Full:
    return aa::Rounding::NearestEven;
  }
  llvm_unreachable("a rounding mode");
}

//===-- floats ------------------------------------------------------------===//

/// A format that arith computes in, so that its own conversions from and to others of the kind round as they should.
static bool isPlain(Type format) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(format);
}

template <typename Op> static Type getFormat(Op tile) {
  return getElementTypeOrSelf(tile.getType());
}

static LogicalResult lowerFToF(ct::FToFOp op, ct::FToFOp::Adaptor operands, Emitter &emit) {
  Type from = getFormat(op.getFrom()), to = getFormat(op.getTo());
  Value source = operands.getFrom();
  // A half from f64 takes two steps of arith, which round twice.
  bool isOneStep = isPlain(from) && isPlain(to) && !(from.isF64() && getWidth(to) < 32);
  if (isOneStep && (op.getRoundingMode() == ct::RoundingMode::NearestEven || getWidth(from) < getWidth(to)))
    return emit.replace(convertFloat(emit.rewriter, emit.loc, source, cast<FloatType>(to)));
  return emit.replace(convertFormat(emit, source, from, to, getRounding(op.getRoundingMode())));
}

static LogicalResult lowerFToI(ct::FToIOp op, ct::FToIOp::Adaptor operands, Emitter &emit) {
  return emit.replace(emit.make<aa::ConvertOp>(emit.resultType(), operands.getFrom(), getFormat(op.getFrom()),
                                               getFormat(op.getTo()), aa::Rounding::Zero,
                                               op.getSignedness() == ct::Signedness::Unsigned, op.getSaturating()));
}

static LogicalResult lowerIToF(ct::IToFOp op, ct::IToFOp::Adaptor operands, Emitter &emit) {
  Type type = emit.resultType(), from = getFormat(op.getFrom()), to = getFormat(op.getTo());
  bool isUnsigned = op.getSignedness() == ct::Signedness::Unsigned;
  if (!to.isF32() && !to.isF64())
    return emit.replace(emit.make<aa::ConvertOp>(type, operands.getFrom(), from, to, getRounding(op.getRoundingMode()),
                                                 isUnsigned, /*saturate=*/false));
  if (isUnsigned)
    return emit.replace(emit.make<arith::UIToFPOp>(type, operands.getFrom()));
  return emit.replace(emit.make<arith::SIToFPOp>(type, operands.getFrom()));
}

//===-- integers ----------------------------------------------------------===//

static LogicalResult lowerExtI(ct::ExtIOp op, ct::ExtIOp::Adaptor operands, Emitter &emit) {
  Value source = operands.getFrom();
  bool isSigned = op.getSignedness() == ct::Signedness::Signed;
  // The low half of a byte.
  if (getFormat(op.getFrom()).isInteger(4) && isSigned) {
    Value half = emit.constant(source.getType(), 4);
    source = emit.make<arith::ShRSIOp>(emit.create<arith::ShLIOp>(source, half), half);
  }
  if (source.getType() == emit.resultType())
    return emit.replace(source);
  if (!isSigned)
    return emit.replace(emit.make<arith::ExtUIOp>(emit.resultType(), source));
  Value wide = emit.make<arith::ExtSIOp>(emit.resultType(), source);
  if (getFormat(op.getTo()).isInteger(4))
    wide = emit.create<arith::AndIOp>(wide, emit.constant(wide.getType(), 15));
  return emit.replace(wide);
}

static LogicalResult lowerTruncI(ct::TruncIOp op, ct::TruncIOp::Adaptor operands, Emitter &emit) {
  Value value = operands.getFrom();
  if (value.getType() != emit.resultType())
    value = emit.make<arith::TruncIOp>(emit.resultType(), value);
  if (getFormat(op.getTo()).isInteger(4))
    value = emit.create<arith::AndIOp>(value, emit.constant(value.getType(), 15));
  return emit.replace(value);
}

static LogicalResult lowerBitcast(ct::BitcastOp, ct::BitcastOp::Adaptor operands, Emitter &emit) {
  if (operands.getSource().getType() == emit.resultType())
    return emit.replace(operands.getSource());
  return emit.replace(emit.make<arith::BitcastOp>(emit.resultType(), operands.getSource()));
}

void tilewright::populateConvert(Lowerings &lowerings) {
  lowerings.add<ct::FToFOp>(lowerFToF);
  lowerings.add<ct::FToIOp>(lowerFToI);
  lowerings.add<ct::IToFOp>(lowerIToF);
  lowerings.add<ct::ExtIOp>(lowerExtI);
  lowerings.add<ct::TruncIOp>(lowerTruncI);
  lowerings.add<ct::BitcastOp>(lowerBitcast);
  lowerings.addIdentity<ct::IntToPtrOp>();
  lowerings.addIdentity<ct::PtrToIntOp>();
  lowerings.addIdentity<ct::PtrToPtrOp>();
}
