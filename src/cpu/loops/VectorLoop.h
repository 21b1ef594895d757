// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of emitVectorLoop: a linalg.generic on buffers becomes loops around vectors in one of four ways.
#ifndef TILEWRIGHT_CPU_LOOPS_VECTORLOOP_H
#define TILEWRIGHT_CPU_LOOPS_VECTORLOOP_H

#include "cpu/loops/LaneValues.h"
#include "cpu/loops/Reduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright::cpu {

/// Square blocks transposed in registers, for a loop that reads along one dimension and writes along another. False,
/// and nothing done, for every other loop.
bool emitSquareBlocks(const LoopNest &nest);

/// Each element of a result by itself.
void emitElementwise(LoopNest &nest, const Reduction &none, mlir::OpBuilder &builder);

/// Lanes are results; the reduction is a loop inside.
void emitInOrderReduction(LoopNest &nest, const Reduction &reduction, mlir::OpBuilder &builder);

/// Lanes are what is reduced: a vector of partial results that starts, like the result, from the identity; the lanes
/// are combined at the end.
void emitLaneReduction(LoopNest &nest, const Reduction &reduction, mlir::OpBuilder &builder);

/// For tiles with an edge: `overAll` where all lanes are inside of the arrays, or `overPart`, which gets how many are.
/// A loop of few steps has both, since one whose length is known costs less; a long one is `overPart` alone.
llvm::SmallVector<mlir::Value>
overPartAndEdge(LoopNest &nest, mlir::OpBuilder &builder, mlir::TypeRange types, int64_t steps,
                llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> overAll,
                llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Value)> overPart);

/// Where the last whole vector of so many lanes, from the first place on, ends.
mlir::Value roundDown(LoopNest &nest, mlir::OpBuilder &builder, mlir::Value first, mlir::Value end, int64_t lanes);

/// Runs `inner` for each vector of the lane dimension, with the current indices at its first lane.
void overLanes(LoopNest &nest, mlir::OpBuilder &builder, llvm::function_ref<void(mlir::OpBuilder &)> inner);

/// Takes what loads of one array have in common from registers.
void shareLoads(llvm::ArrayRef<mlir::vector::LoadOp> loads, const Plan &plan);

/// Puts prefetches between the loads behind them.
void spreadFetches(llvm::ArrayRef<mlir::memref::PrefetchOp> fetches, const Plan &plan);

/// Moves values that are equal in all vectors before the loop: the scale of a row, a reciprocal or a root of a sum.
/// LLVM cannot because it does not know that results and inputs do not alias; within one op bufferization ensures that.
void hoistUniform(LoopNest &nest, mlir::scf::ForOp loop);

/// The body's effects and the results that `reduction` does not combine, at the current indices.
void storeElementwise(LoopNest &nest, const Reduction &reduction, LaneValues &lanes, mlir::OpBuilder &builder,
                      CachePolicy policy = CachePolicy::Default);

} // namespace tilewright::cpu

#endif
