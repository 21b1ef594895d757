// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/CudaTile.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult ExtIOp::verify() { return success(); }
LogicalResult TruncIOp::verify() { return success(); }
LogicalResult FToFOp::verify() { return success(); }
LogicalResult FToIOp::verify() { return success(); }
LogicalResult IToFOp::verify() { return success(); }
LogicalResult BitcastOp::verify() { return success(); }
LogicalResult PackOp::verify() { return success(); }
LogicalResult UnpackOp::verify() { return success(); }
