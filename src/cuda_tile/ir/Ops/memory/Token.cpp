// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult JoinTokensOp::verify() {
  if (getTokens().size() < 2) {
    return emitOpError("expected two or more tokens, got ") << getTokens().size();
  }
  return success();
}
