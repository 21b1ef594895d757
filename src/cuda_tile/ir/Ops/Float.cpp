// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/CudaTile.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult AddFOp::verify() { return success(); }
LogicalResult SubFOp::verify() { return success(); }
LogicalResult MulFOp::verify() { return success(); }
LogicalResult DivFOp::verify() { return success(); }
LogicalResult FmaOp::verify() { return success(); }
LogicalResult MaxFOp::verify() { return success(); }
LogicalResult MinFOp::verify() { return success(); }
LogicalResult Exp2Op::verify() { return success(); }
LogicalResult RsqrtOp::verify() { return success(); }
LogicalResult ExpOp::verify() { return success(); }
LogicalResult TanHOp::verify() { return success(); }
LogicalResult SqrtOp::verify() { return success(); }
LogicalResult FPowIOp::verify() { return success(); }
