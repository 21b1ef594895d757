// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_IR_CPU_H
#define TILEWRIGHT_CPU_IR_CPU_H

#include "cpu/ir/Plan.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tileaa/ir/Tileaa.h"

#include "cpu/ir/CpuDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "cpu/ir/CpuAttrs.h.inc"

#define GET_OP_CLASSES
#include "cpu/ir/CpuOps.h.inc"

namespace tilewright::cpu {
/// The plan of a function; null before cpu-plan gives it one.
constexpr llvm::StringLiteral planAttr = "cpu.plan";
PlanAttr planOf(mlir::Operation *function);
/// Of a function: the scratch that its buffers take.
constexpr llvm::StringLiteral scratchBytesAttr = "cpu.scratch_bytes";

/// Of a function: the number of neighbouring blocks that it runs at once. It has the name of the function that runs one
/// of them, and a suffix; a third one with another suffix says whether a launch should use it, if that is not known.
constexpr llvm::StringLiteral joinedAttr = "cpu.joined", joinedSuffix = ".joined", joinsSuffix = ".joins";
int64_t countJoined(mlir::Operation *function);

/// Of a loop: the tiles that it prefetches, its last inputs.
constexpr llvm::StringLiteral fetchAttr = "cpu.fetch";
FetchAttr fetchOf(mlir::Operation *loop);
int64_t countFetched(mlir::Operation *loop);
/// Of a loop: it writes past the cache, or writes no result at all.
constexpr llvm::StringLiteral streamAttr = "cpu.stream", effectOnlyAttr = "cpu.effect_only";

/// Of a loop: the dimension along which elements from its first input on are not needed.
constexpr llvm::StringLiteral endAttr = "cpu.end";
/// Of a loop: it iterates over a box only. Its first inputs are where that begins and ends along each dimension.
constexpr llvm::StringLiteral boundsAttr = "cpu.bounds";

/// Of a buffer: the number of iterations whose tiles it holds; that it, or the state of such, outlives a tile block.
constexpr llvm::StringLiteral stepsAttr = "cpu.steps", keptAttr = "cpu.kept", stateAttr = "cpu.state";

/// Teaches one-shot bufferization the ops of this dialect and those of tileaa that take tiles.
void registerBufferizationModels(mlir::DialectRegistry &registry);
} // namespace tilewright::cpu

#endif
