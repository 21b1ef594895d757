// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/CudaTile.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

LogicalResult NegIOp::verify() { return success(); }
LogicalResult DivIOp::verify() { return success(); }
