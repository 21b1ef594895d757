// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_MASKBOUNDS_H
#define TILEWRIGHT_TILEAA_ANALYSIS_MASKBOUNDS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileaa/analysis/AffineTiles.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::tileaa {

/// A part of a mask. Along dimension `dim` of the tile, element i is selected if `start + i` is less than `end`, and,
/// with `fromZero`, not negative. Without a dimension `start` itself is compared, or `holds` decides for all elements.
struct MaskBound {
  std::optional<unsigned> dim;
  Polynomial start;
  bool fromZero = false;
  std::optional<Polynomial> end;
  bool endIsUnsigned = false; // a negative end, read as unsigned, is larger than every index
  mlir::Value holds = {};     // a scalar, or a tile of equal elements
};

/// Masks that select a box of a tile, as bounds of indices do.
class MaskBounds {
public:
  MaskBounds(mlir::func::FuncOp function, AffineTiles &tiles);

  /// The conjuncts of a mask; nothing if one of them is not a bound. Whether an index of 32 bits wraps
  /// around within the tile is decided by the addresses, which start at `address`.
  ///
  /// Example: `row <u rows & column + iota <u columns` has two, of no dimension and of dimension 0.
  std::optional<llvm::SmallVector<MaskBound>> of(mlir::Value mask, const Polynomial &address);

private:
  std::optional<llvm::SmallVector<MaskBound>> conjunctsOf(mlir::Value mask);
  std::optional<MaskBound> uniform(mlir::Value mask);
  std::optional<MaskBound> compare(mlir::arith::CmpIOp compared);
  bool isNonNegative(const Polynomial &polynomial) const;
  unsigned bitsOf(const Polynomial &polynomial) const;

  AffineTiles &tiles;
  llvm::DenseSet<mlir::Value> nonNegative; // parameters
  const Polynomial *address = nullptr;
};

} // namespace tilewright::tileaa

#endif
