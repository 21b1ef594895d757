// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/CudaTile.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult IotaOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult ReshapeOp::verify() { return success(); }
LogicalResult PermuteOp::verify() { return success(); }
LogicalResult CatOp::verify() { return success(); }
LogicalResult ExtractOp::verify() { return success(); }
LogicalResult InsertOp::verify() { return success(); }
LogicalResult AssumeOp::verify() { return success(); }
