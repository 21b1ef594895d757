// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_SLICEREGION_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_SLICEREGION_H

#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/TileSlice.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tileaa {

/// The operations of a block that can be done slice by slice together: one that makes a large tile, which may be a loop
/// that carries it, all that use this tile, and what is between them. Each tile that is made in the region and depends
/// on a part of the large one alone has a slice; the others are made whole for every slice.
///
///   %s = scf.for ... iter_args(%acc = %zero) {     the seed: 1024 rows of %s by 128. So do %acc, %p, %a and the store.
///     %a = load_view %v[%i, %k]                    %b is loaded whole for each slice, and %zero enters the region.
///     %b = load_view %w[%k, %j]
///     %p = mma %a, %b, %acc
///     yield %p
///   }
///   store_view %s, %x[%i, %j]
class SliceRegion {
public:
  SliceRegion(mlir::Value seed, TileSlice slice, int64_t smallElements);

  explicit operator bool() const { return canSlice; }

  llvm::ArrayRef<mlir::Operation *> ops() const { return sorted; }
  /// Of the tiles that the region makes.
  const llvm::MapVector<mlir::Value, TileSlice> &slices() const { return sliceOf; }
  /// Operands in the region that are slices of tiles from outside of it.
  llvm::ArrayRef<std::pair<mlir::OpOperand *, TileSlice>> entering() const { return entries; }
  /// Accesses through views whose offset depends on the slice.
  const llvm::MapVector<mlir::Operation *, TileSlice> &accesses() const { return sliceOfAccess; }
  /// Reductions along the dimension of slices: each slice gives a partial result.
  const llvm::SetVector<mlir::Operation *> &reductions() const { return partial; }
  /// Inclusive scans along the dimension of slices: each slice goes on from the last element of the one before.
  const llvm::SetVector<mlir::Operation *> &scans() const { return sequential; }
  /// Results that others use; those of `reductions` are combined, tokens joined, and others the same for each slice.
  llvm::ArrayRef<mlir::Value> leaving() const { return results; }

private:
  using Flow = std::pair<mlir::OpOperand *, mlir::Value>;

  bool analyze();
  mlir::Operation *rootOf(mlir::Operation *op) const { return block->findAncestorOpInBlock(*op); }
  bool contains(mlir::Value value) const;
  bool include(mlir::Operation *op);
  bool visit(mlir::Value value, TileSlice slice);
  bool require(mlir::OpOperand *operand, TileSlice slice);
  bool visitProducer(mlir::Value value, TileSlice slice);
  bool visitUse(mlir::OpOperand &use, TileSlice slice);
  bool relate(mlir::Operation *op, TileSlice ofResult);
  bool includeBetween();
  bool areEffectsSliced();
  bool isOrderKept(mlir::Operation *op);
  bool haveDisjointSlices(mlir::Operation *a, mlir::Operation *b) const;
  bool canEnter();
  bool canLeave();

  mlir::Block *block;
  int64_t count, smallElements;
  bool canSlice;
  llvm::SetVector<mlir::Operation *> roots;
  llvm::SmallVector<mlir::Operation *> sorted;
  llvm::SmallVector<mlir::Value> pending;
  llvm::SmallVector<Flow> flows;
  llvm::MapVector<mlir::Value, TileSlice> sliceOf;
  llvm::MapVector<mlir::Operation *, TileSlice> sliceOfAccess;
  llvm::SmallVector<std::pair<mlir::OpOperand *, TileSlice>> entries;
  llvm::SetVector<mlir::Operation *> partial, sequential;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace tilewright::tileaa

#endif
