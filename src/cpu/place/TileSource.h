// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dependences of a tile made in a loop: arrays, the induction variable, and keys, scalars that differ from block to
// block.
//
// Example: in a product of matrices the packed right operand of step %k depends on array b, %k and the key %n.
#ifndef TILEWRIGHT_CPU_PLACE_TILESOURCE_H
#define TILEWRIGHT_CPU_PLACE_TILESOURCE_H

#include "cpu/place/ArrayAlias.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::cpu {

class TileSource {
public:
  /// Of a buffer that is read in the loop's body; nothing if it depends on more than arrays and scalars.
  static std::optional<TileSource> of(mlir::Value buffer, mlir::scf::ForOp loop);

  /// A scalar that the content depends on too, beside those found.
  bool add(mlir::Value scalar, unsigned depth = 0);

  /// Whether the kernel may write to one of the arrays that it is read from, or to one of these.
  bool isWritten() const { return isWritten(arrays); }
  bool isWritten(const ArraySet &arrays) const;

  mlir::ArrayRef<mlir::Value> getKeys() const { return keys.getArrayRef(); }
  const ArraySet &getArrays() const { return arrays; }

private:
  explicit TileSource(mlir::scf::ForOp loop) : loop(loop) {}
  bool isLaunchConstant(mlir::Value value, unsigned depth);
  bool addCopy(mlir::scf::IfOp choice, unsigned depth);
  bool isOwnScratch(mlir::Value buffer, mlir::scf::IfOp choice) const;

  mlir::scf::ForOp loop;
  ArraySet arrays;
  llvm::SmallSetVector<mlir::Value, 4> keys;
  llvm::SmallDenseSet<mlir::Value, 16> seen;
  llvm::SmallDenseMap<mlir::Operation *, bool, 16> constants;
};

} // namespace tilewright::cpu

#endif
