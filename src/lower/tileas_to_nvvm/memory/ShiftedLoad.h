// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_SHIFTEDLOAD_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_SHIFTEDLOAD_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// Elements of one or two bytes, 16 bytes of them, that begin at any address. Memory gives aligned vectors only, so
/// both are loaded that have a part of them, and the words are shifted when they are needed. Of 8 elements at 0x1006:
///
///   first   0x1000   . . . 0 1 2 3 4        word i = the 32 bits from 6 bytes on in words i + 1 to i + 3 of both,
///   second  0x1010   5 6 7 . . . . .                 which are picked by 8 and by 4 bytes, and then shifted
///
/// A vector is loaded only if it has an element that is inside, since 16 aligned bytes are of one page: that reads up
/// to 14 bytes before and behind an array, and uses none of them.
class ShiftedLoad {
public:
  /// `inside`: whether the first element is inside of the array; `count`: how many are, i32. Nothing stands for all.
  ShiftedLoad(mlir::Value address, mlir::Type element, mlir::Value inside, mlir::Value count, tileaa::CachePolicy cache,
              ThreadBuilder &thread);

  /// The elements, zero outside; built where the builder is now.
  llvm::SmallVector<mlir::Value> getAll(ThreadBuilder &thread) const;

private:
  mlir::Type element;
  mlir::Value distance; // of the first element from the first vector, in bytes
  mlir::Value count;
  llvm::SmallVector<mlir::Value> words; // of both vectors
};

} // namespace tilewright

#endif
