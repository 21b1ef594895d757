// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of cpu-micro-tiles, one per kind of op; each replaces the op with loops.
#ifndef TILEWRIGHT_CPU_LOOPS_MICROTILES_H
#define TILEWRIGHT_CPU_LOOPS_MICROTILES_H

#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::cpu {

/// An elementwise loop or reduction over vectors.
mlir::LogicalResult emitVectorLoop(mlir::linalg::GenericOp loop, const Plan &plan);

/// A register-blocked matrix product.
void emitMma(MmaOp mma, const Plan &plan);
/// The right operand of products of pairs.
void emitPackWords(PackWordsOp pack, const Plan &plan);

/// A scan over vectors.
void emitScan(ScanOp scan, const Plan &plan);

/// Tiles at the edge of an array.
void emitCopyIn(CopyInOp copy, const Plan &plan);
void emitCopyOut(CopyOutOp copy, const Plan &plan);

/// The type of an element, or a vector of them, in memory: LLVM has no loads and stores of 8-bit floats, which move as
/// integers, and packs bits, each of which is a byte here. Other types as they are.
mlir::Type carrierOf(mlir::Type type);
mlir::Value toCarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
mlir::Value fromCarrier(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type);

/// One element through an address: a load, a store or an atomic.
void emitElementAccess(mlir::Operation *op);

/// Stride of a buffer's dimension where its type states it; one for a dimension of extent 1.
int64_t staticStride(mlir::MemRefType type, int64_t dim);

/// The buffer with the dimension that has unit stride last, and the order of the old dimensions in the new one.
mlir::Value withUnitStrideLast(mlir::OpBuilder &builder, mlir::Value buffer, llvm::SmallVectorImpl<int64_t> &order);

} // namespace tilewright::cpu

#endif
