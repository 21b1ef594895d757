// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult NegIOp::verify() {
  if (getOverflow() != IntegerOverflow::None && getOverflow() != IntegerOverflow::NSW) {
    return emitOpError("expected overflow none or no_signed_wrap, got ") << stringifyIntegerOverflow(getOverflow());
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
