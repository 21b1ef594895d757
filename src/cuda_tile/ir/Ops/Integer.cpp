// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult NegIOp::verify() {
  // As an unsigned number, every negation but that of 0 wraps.
  if (getOverflow() == IntegerOverflow::NUW) {
    return emitOpError("expected overflow none, no_signed_wrap or no_wrap, got no_unsigned_wrap");
  }
  return success();
}

LogicalResult DivIOp::verify() {
  if (failed(verifyRounding(*this, getRounding(),
                            {RoundingMode::Zero, RoundingMode::NegativeInf, RoundingMode::PositiveInf}))) {
    return failure();
  }
  if (getSignedness() == Signedness::Unsigned && getRounding() == RoundingMode::NegativeInf) {
    return emitOpError("expected rounding zero or positive_inf of unsigned integers, got negative_inf");
  }
  return success();
}
