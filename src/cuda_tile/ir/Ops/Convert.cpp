// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

template <typename Op> static std::pair<Type, Type> getElements(Op op) {
  return {op.getFrom().getType().getElementType(), op.getTo().getType().getElementType()};
}

LogicalResult ExtIOp::verify() {
  auto [from, to] = getElements(*this);
  if (from.getIntOrFloatBitWidth() >= to.getIntOrFloatBitWidth()) {
    return emitOpError("expected a result wider than ") << from << ", got " << to;
  }
  return success();
}

LogicalResult TruncIOp::verify() {
  auto [from, to] = getElements(*this);
  if (from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth()) {
    return emitOpError("expected a result narrower than ") << from << ", got " << to;
  }
  return success();
}

/// Whether every finite value of `from` is a normal number of `to`, so that no rounding happens.
static bool isExact(Type from, Type to) {
  const llvm::fltSemantics &wide = cast<FloatType>(to).getFloatSemantics();
  if (isa<F8E5M3FNUType>(from)) {
    // Exponents -14 to 16, four bits of significand: bf16 holds them, f16 ends at 15.
    return llvm::APFloat::semanticsMaxExponent(wide) >= 16;
  }
  return llvm::APFloat::isRepresentableBy(cast<FloatType>(from).getFloatSemantics(), wide);
}

/// Modes of `ftof` for a pair of types: those with an instruction on targets, or all if the conversion is exact.
static SmallVector<RoundingMode> getFToFRoundings(Type from, Type to) {
  using Mode = RoundingMode;
  // A power-of-two scale rounds up or down only, the other small formats to nearest even only.
  if (isa<Float8E8M0FNUType>(to)) {
    return {Mode::Zero, Mode::PositiveInf};
  }
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type, FloatTF32Type>(to)) {
    return {Mode::NearestEven};
  }
  if (from.isF64() && to.isF32()) {
    return SmallVector<RoundingMode>(std::begin(ieeeRoundings), std::end(ieeeRoundings));
  }
  if (from.isF32() && isa<FloatTF32Type>(to)) {
    return {Mode::NearestEven, Mode::Zero, Mode::NearestAway};
  }
  if (isExact(from, to)) {
    return {Mode::NearestEven, Mode::Zero, Mode::NegativeInf, Mode::PositiveInf, Mode::NearestAway};
  }
  return {Mode::NearestEven, Mode::Zero};
}

LogicalResult FToFOp::verify() {
  auto [from, to] = getElements(*this);
  if (from == to) {
    return emitOpError("expected another element type, got ") << from << " twice";
  }
  return verifyRounding(*this, getRoundingMode(), getFToFRoundings(from, to));
}

LogicalResult FToIOp::verify() {
  return verifyRounding(*this, getRoundingMode(), {RoundingMode::NearestIntToZero});
}
LogicalResult IToFOp::verify() {
  Type to = getTo().getType().getElementType();
  if (isa<Float8E8M0FNUType>(to)) {
    return emitOpError("cannot convert integers to ") << to << "; convert them to another float first";
  }
  return verifyRounding(*this, getRoundingMode(), {RoundingMode::NearestEven});
}

LogicalResult BitcastOp::verify() {
  // A tf32 is 19 bits; where in a word they lie is not said.
  auto width = [](Type element) { return isa<FloatTF32Type>(element) ? 19 : getElementBitWidth(element); };
  Type from = getSource().getType().getElementType(), to = getType().getElementType();
  if (width(from) != width(to)) {
    return emitOpError("expected elements of one width, got ")
           << from << " of " << width(from) << " bits and " << to << " of " << width(to);
  }
  return success();
}

/// `bytes` holds exactly the elements of `tile`, both of rank 1.
static LogicalResult verifyBytes(Operation *op, TileType tile, TileType bytes) {
  if (tile.getRank() != 1 || bytes.getRank() != 1) {
    return op->emitOpError("expected tiles of rank 1, got ") << tile << " and " << bytes;
  }
  unsigned width = getElementBitWidth(tile.getElementType());
  if (width == 8) {
    return op->emitOpError("expected elements of other than 8 bits, got ") << tile.getElementType() << "; use bitcast";
  }
  int64_t numBits = tile.getNumElements() * width;
  if (numBits % 8) {
    return op->emitOpError("expected elements that fill whole bytes, got ") << numBits << " bits of " << tile;
  }
  if (numBits != bytes.getNumElements() * 8) {
    return op->emitOpError("expected ") << numBits / 8 << " bytes for " << tile << ", got " << bytes.getNumElements();
  }
  return success();
}

LogicalResult PackOp::verify() {
  return verifyBytes(*this, getSource().getType(), getType());
}
LogicalResult UnpackOp::verify() {
  return verifyBytes(*this, getType(), getSource().getType());
}
