// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

#include "cuda_tile/ir/CudaTileDialect.cpp.inc"

#define GET_OP_CLASSES
#include "cuda_tile/ir/CudaTileOps.cpp.inc"

void CudaTileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "cuda_tile/ir/CudaTileOps.cpp.inc"
      >();
}
