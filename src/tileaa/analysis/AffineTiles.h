// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of integers whose elements grow by a constant along each dimension, as indices of rows and columns do, and the
// addresses computed from them.
//
// Example: with %i = iota : tensor<64xi64>, the tile `%base + (%row * %stride + %column + %i) * 4` starts at the
// polynomial `base + 4 row stride + 4 column`, and its step is 4.
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_AFFINETILES_H
#define TILEWRIGHT_TILEAA_ANALYSIS_AFFINETILES_H

#include "mlir/IR/Builders.h"
#include "tileaa/analysis/Polynomial.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright::tileaa {

/// The element at position (i0, i1, ...) is `start + steps[0] i0 + steps[1] i1 + ...`.
struct AffineTile {
  Polynomial start;
  llvm::SmallVector<Polynomial, 4> steps; // one for each dimension; none of a scalar

  bool isUniform() const;
  /// The one dimension along which it grows by 1 an element; nothing where it grows along others, or otherwise.
  std::optional<unsigned> unitDim() const;
};

class AffineTiles {
public:
  /// Nothing if the elements do not grow by constants.
  ///
  /// Sums of 32 and more bits that are extended are assumed not to wrap around from one element of a tile to the next:
  /// as indices, the elements on both sides would be 2^32 elements apart. Narrower ones are looked at.
  std::optional<AffineTile> of(mlir::Value tile);

  /// The same tile sign-extended to 64 bits.
  std::optional<AffineTile> widened(mlir::Value tile);

  /// Whether all elements are the same; then the scalar that they are.
  static bool isUniform(mlir::Value tile);
  static mlir::Value makeScalar(mlir::OpBuilder &builder, mlir::Value tile);

  /// The value that a polynomial of 64 bits has at run time.
  mlir::Value make(mlir::OpBuilder &builder, mlir::Location loc, const Polynomial &polynomial);

  /// The value behind a scalar, without extensions; null if a sum is extended.
  mlir::Value originOf(unsigned scalar) const;
  /// The number of bits that a scalar was sign-extended from.
  unsigned significantBits(unsigned scalar) const;

private:
  struct Scalar {
    mlir::Value value;       // a scalar, or a tile of equal elements
    Polynomial extended;     // without a value: the sum that is extended
    unsigned bits = 64;      // of the value or of the sum
    bool isExtended = false; // of a value
  };

  std::optional<AffineTile> compute(mlir::Value tile);
  std::optional<AffineTile> extend(const AffineTile &tile, mlir::Type narrow, llvm::ArrayRef<int64_t> shape);
  Polynomial extend(const Polynomial &sum, unsigned bits);
  Polynomial numberOf(Scalar scalar);
  Polynomial ofValue(mlir::Value value);
  mlir::Value make(mlir::OpBuilder &builder, mlir::Location loc, const Polynomial &polynomial, mlir::Type type);
  mlir::Value make(mlir::OpBuilder &builder, mlir::Location loc, const Scalar &scalar);

  std::vector<Scalar> scalars;
  llvm::DenseMap<mlir::Value, std::optional<AffineTile>> known;
};

/// For each dimension of a broadcast, permuted or reshaped tile that of its source, -1 where all elements are the same;
/// nothing for other operations and for reshapes that move elements.
std::optional<llvm::SmallVector<int64_t>> sourceDims(mlir::Operation *op);

/// The tile whose dimension d is dimension `dims[d]` of another.
AffineTile withDims(const AffineTile &source, llvm::ArrayRef<int64_t> dims);

} // namespace tilewright::tileaa

#endif
