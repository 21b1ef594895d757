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

LogicalResult FToFOp::verify() {
  auto [from, to] = getElements(*this);
  if (from == to) {
    return emitOpError("expected another element type, got ") << from << " twice";
  }
  // A power-of-two scale rounds up or down only, the other small formats to nearest even only.
  if (isa<Float8E8M0FNUType>(to)) {
    return verifyRounding(*this, getRoundingMode(), {RoundingMode::Zero, RoundingMode::PositiveInf});
  }
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type, FloatTF32Type>(to)) {
    return verifyRounding(*this, getRoundingMode(), {RoundingMode::NearestEven});
  }
  SmallVector<RoundingMode> allowed = {RoundingMode::NearestEven, RoundingMode::Zero};
  bool isExact = isa<F8E5M3FNUType>(from) || from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  if (isExact) {
    allowed.append({RoundingMode::NegativeInf, RoundingMode::PositiveInf});
  }
  if (isExact || (from.isF32() && isa<FloatTF32Type>(to))) {
    allowed.push_back(RoundingMode::NearestAway);
  }
  return verifyRounding(*this, getRoundingMode(), allowed);
}

LogicalResult FToIOp::verify() {
  return verifyRounding(*this, getRoundingMode(), {RoundingMode::NearestIntToZero});
}
LogicalResult IToFOp::verify() {
  return verifyRounding(*this, getRoundingMode(), {RoundingMode::NearestEven});
}

LogicalResult BitcastOp::verify() {
  Type from = getSource().getType().getElementType(), to = getType().getElementType();
  if (getElementBitWidth(from) != getElementBitWidth(to)) {
    return emitOpError("expected elements of one width, got ") << from << " and " << to;
  }
  return success();
}

/// `bytes` holds exactly the elements of `tile`, both of rank 1.
static LogicalResult verifyBytes(Operation *op, TileType tile, TileType bytes) {
  if (tile.getRank() != 1 || bytes.getRank() != 1) {
    return op->emitOpError("expected tiles of rank 1, got ") << tile << " and " << bytes;
  }
  int64_t numBits = tile.getNumElements() * getElementBitWidth(tile.getElementType());
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
