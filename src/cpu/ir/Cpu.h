// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_IR_CPU_H
#define TILEWRIGHT_CPU_IR_CPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tileaa/ir/Tileaa.h"

#include "cpu/ir/CpuDialect.h.inc"

#define GET_OP_CLASSES
#include "cpu/ir/CpuOps.h.inc"

namespace tilewright::cpu {
/// Teaches one-shot bufferization the ops of this dialect and those of tileaa that take tiles.
void registerBufferizationModels(mlir::DialectRegistry &registry);
} // namespace tilewright::cpu

#endif
