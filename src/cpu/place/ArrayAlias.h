// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arrays an access may touch. Arrays are distinguished by the origin of their addresses: a
// parameter of the kernel, memory of its own, a global.
#ifndef TILEWRIGHT_CPU_PLACE_ARRAYALIAS_H
#define TILEWRIGHT_CPU_PLACE_ARRAYALIAS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::cpu {

class ArrayOp;

class ArraySet {
public:
  /// The arrays that an address (or tile of addresses) is computed from; all arrays if it is read from memory.
  static ArraySet ofAddress(mlir::Value address);

  /// Of an array of the dialect: a number added to its base is a distance, of type index before, and no address, even
  /// if it was loaded or computed from one.
  static ArraySet ofArray(ArrayOp array);
  static ArraySet ofEverything();

  bool mayOverlap(const ArraySet &other) const;

private:
  bool everything = false;
  llvm::SmallDenseSet<const void *, 4> roots; // a parameter, the memory of an alloca, the name of a global
};

/// The access of memory through an address by an op of this dialect. One that orders other accesses counts as a write
/// of everything: no access may cross it.
struct AddressAccess {
  ArraySet arrays;
  bool writes = false;
};

/// Of the op itself, or of the one in its body if it is a loop; nothing for all other ops.
std::optional<AddressAccess> accessThroughAddress(mlir::Operation *op);

/// Whether the op, or one in its body, has an ordering: it then works on single elements, in a place of its own.
bool hasOrdering(mlir::Operation *op);

/// The ops that work on a tile, those included that look at it through a slice or another shape.
llvm::SmallVector<mlir::Operation *> usersOf(mlir::Value tile);

/// Whether `write` may run after `read` has run and before `use`, an op that works on what was read, has.
bool mayRunBetween(mlir::Operation *write, mlir::Operation *read, mlir::Operation *use);

} // namespace tilewright::cpu

#endif
