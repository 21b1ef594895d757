// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Rounded arithmetic ---------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyRounded(Op op) {
  return failure(failed(verifyRounding(op, op.getRoundingMode(), ieeeRoundings)) ||
                 failed(verifyF32Only(op, "flush_to_zero", op.getFlushToZero(), op.getType())));
}

LogicalResult AddFOp::verify() {
  return verifyRounded(*this);
}
LogicalResult SubFOp::verify() {
  return verifyRounded(*this);
}
LogicalResult MulFOp::verify() {
  return verifyRounded(*this);
}
LogicalResult FmaOp::verify() {
  return verifyRounded(*this);
}

/// Operations that also have cheaper forms, for f32.
template <typename Op> static LogicalResult verifyApproximable(Op op, ArrayRef<RoundingMode> cheap) {
  RoundingMode mode = op.getRoundingMode();
  SmallVector<RoundingMode> allowed(std::begin(ieeeRoundings), std::end(ieeeRoundings));
  llvm::append_range(allowed, cheap);
  return failure(failed(verifyRounding(op, mode, allowed)) ||
                 failed(verifyF32Only(op, ("rounding " + stringifyRoundingMode(mode)).str(),
                                      llvm::is_contained(cheap, mode), op.getType())) ||
                 failed(verifyF32Only(op, "flush_to_zero", op.getFlushToZero(), op.getType())));
}

LogicalResult DivFOp::verify() {
  return verifyApproximable(*this, {RoundingMode::Approx, RoundingMode::Full});
}
LogicalResult SqrtOp::verify() {
  return verifyApproximable(*this, {RoundingMode::Approx});
}

LogicalResult MaxFOp::verify() {
  return verifyF32Only(*this, "flush_to_zero", getFlushToZero(), getType());
}
LogicalResult MinFOp::verify() {
  return verifyF32Only(*this, "flush_to_zero", getFlushToZero(), getType());
}

//===- Functions ------------------------------------------------------------------------===//

LogicalResult Exp2Op::verify() {
  return verifyF32Only(*this, "flush_to_zero", getFlushToZero(), getType());
}
LogicalResult RsqrtOp::verify() {
  return verifyF32Only(*this, "flush_to_zero", getFlushToZero(), getType());
}

/// Functions that are either full or, for f32, approximate.
template <typename Op> static LogicalResult verifyFullOrApprox(Op op) {
  RoundingMode mode = op.getRoundingMode();
  return failure(failed(verifyRounding(op, mode, {RoundingMode::Approx, RoundingMode::Full})) ||
                 failed(verifyF32Only(op, "rounding approx", mode == RoundingMode::Approx, op.getType())));
}

LogicalResult ExpOp::verify() {
  return verifyFullOrApprox(*this);
}
LogicalResult TanHOp::verify() {
  return verifyFullOrApprox(*this);
}

LogicalResult FPowIOp::verify() {
  Type exponent = getExponent().getType().getElementType();
  if (exponent.getIntOrFloatBitWidth() > 32) {
    return emitOpError("expected an exponent of at most 32 bits, got ") << exponent;
  }
  return success();
}
