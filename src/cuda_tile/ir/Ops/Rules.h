// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules that operations of several families share.
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_RULES_H
#define TILEWRIGHT_CUDA_TILE_IR_OPS_RULES_H

#include "cuda_tile/ir/CudaTile.h"

namespace tilewright::cuda_tile {

/// `mode` is one of `allowed`.
mlir::LogicalResult verifyRounding(mlir::Operation *op, RoundingMode mode, llvm::ArrayRef<RoundingMode> allowed);

/// The modes IEEE arithmetic rounds by.
inline constexpr RoundingMode ieeeRoundings[] = {RoundingMode::NearestEven, RoundingMode::Zero,
                                                 RoundingMode::NegativeInf, RoundingMode::PositiveInf};

/// `what` (a modifier that is set) exists for f32 only.
mlir::LogicalResult verifyF32Only(mlir::Operation *op, llvm::StringRef what, bool isSet, mlir::Type tile);

/// Hints are known, of the right type and within their range.
enum class HintSite { Entry, View, Pointer };
mlir::LogicalResult verifyHints(mlir::Operation *op, OptimizationHintsAttr hints, HintSite site);

/// Ordering and scope fit: weak goes without a scope, every other ordering needs one.
mlir::LogicalResult verifyOrdering(mlir::Operation *op, MemoryOrderingSemantics ordering,
                                   std::optional<MemoryScope> scope, llvm::ArrayRef<MemoryOrderingSemantics> allowed);

/// Indices and inbounds fit the view, and `tile` is what one index selects.
mlir::LogicalResult verifyPlace(mlir::Operation *op, TileView view, mlir::OperandRange index, mlir::Type tile,
                                llvm::ArrayRef<bool> inbounds);

/// `value` has an element per pointer, of the type pointed to; `mask`, if there, too.
mlir::LogicalResult verifyPointers(mlir::Operation *op, mlir::Value pointers, llvm::StringRef valueName,
                                   mlir::Type value, mlir::Value mask);

} // namespace tilewright::cuda_tile

#endif
