// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_SLICECHAIN_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_SLICECHAIN_H

#include "tileaa/transforms/TileSlice.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::tileaa {

/// The producers of a stored or reduced large tile, by slices: the operations that are fused into the loop, and the
/// small tiles of which slices are extracted.
///
///   %x = load_view %v[%i]               with the store of %y in slices of 2 rows:
///   %r = arith.addf %x, %x              %x, %r and the sum are done on 2 rows, and 2 numbers of %sums are extracted
///   %s = broadcast %sums
///   %y = arith.addf %r, %s
class SliceChain {
public:
  /// With `mayLoadAgain` loads of enclosing blocks are fused, too, if no access comes after them by their token.
  SliceChain(mlir::Operation *sink, llvm::ArrayRef<mlir::Value> tiles, TileSlice slice, int64_t smallElements,
             bool mayLoadAgain = false);

  /// Whether the tiles can be made by slices.
  explicit operator bool() const { return canSlice; }
  /// Whether the operation that makes the tile is fused into the loop; else its slices are extracted.
  bool fuses(mlir::Value tile, TileSlice slice) const { return isFused.lookup(keyOf(tile, slice)); }
  /// Its loads have no other uses.
  bool isAlone() const;
  /// Whether the sink comes after a load by its token.
  bool isAfterLoads() const { return comesAfter; }
  /// Accesses ordered after a load come after the loop with its slices, too.
  void orderLaterAccesses(mlir::Value loopToken) const;
  bool hasLaterAccesses() const { return !later.empty(); }

  using Key = std::pair<mlir::Value, std::pair<int64_t, int64_t>>;
  static Key keyOf(mlir::Value tile, TileSlice slice) { return {tile, {slice.dim, slice.size}}; }

private:
  bool visit(mlir::Value tile, TileSlice slice);
  bool mayWait(mlir::Operation *load, TileSlice loaded);
  bool isInPlace(mlir::Operation *op, TileSlice loaded) const;

  mlir::Operation *sink;
  TileSlice slice;
  int64_t smallElements;
  bool mayLoadAgain, canSlice, comesAfter = false;
  llvm::DenseMap<Key, bool> isFused;
  llvm::SmallPtrSet<mlir::Operation *, 8> fused;
  llvm::SmallVector<std::pair<mlir::Operation *, TileSlice>> loads;
  llvm::SmallVector<mlir::OpOperand *> later; // uses behind the sink of tokens that come from a load
};

/// The operations of a chain for one iteration of the loop.
class SliceEmitter {
public:
  /// The iteration's number is `number`; operations are created at the builder's insertion point.
  SliceEmitter(const SliceChain &chain, mlir::OpBuilder &builder, mlir::Value number)
      : chain(chain), builder(builder), number(number) {}

  mlir::Value emit(mlir::Value tile, TileSlice slice);
  /// The tokens of the loads emitted so far.
  llvm::ArrayRef<mlir::Value> tokens() const { return loaded; }

private:
  mlir::Value extract(mlir::Value tile, TileSlice slice);
  mlir::Value iota(mlir::Location loc, mlir::RankedTensorType type, TileSlice slice);
  mlir::Value clone(mlir::Value tile, TileSlice slice);

  const SliceChain &chain;
  mlir::OpBuilder &builder;
  mlir::Value number;
  llvm::DenseMap<SliceChain::Key, mlir::Value> emitted;
  llvm::SmallVector<mlir::Value> loaded;
};

mlir::Value joinTokens(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange tokens);

} // namespace tilewright::tileaa

#endif
