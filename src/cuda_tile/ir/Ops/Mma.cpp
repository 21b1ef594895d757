// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/CudaTile.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult MmaFOp::verify() { return success(); }
LogicalResult MmaIOp::verify() { return success(); }
LogicalResult MmaFScaledOp::verify() { return success(); }
