// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cuda_tile dialect: everything another folder needs of it.
#ifndef TILEWRIGHT_CUDA_TILE_IR_CUDATILE_H
#define TILEWRIGHT_CUDA_TILE_IR_CUDATILE_H

#include "cuda_tile/ir/Types.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "cuda_tile/ir/CudaTileOps.h.inc"

#endif
