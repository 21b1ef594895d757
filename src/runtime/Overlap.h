// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether strided arrays share bytes. A launch must refuse a written array that shares any with another argument or
// with itself, and must not refuse one that merely interleaves with another.
#ifndef TILEWRIGHT_RUNTIME_OVERLAP_H
#define TILEWRIGHT_RUNTIME_OVERLAP_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace tilewright {

struct StridedArray {
  uintptr_t data = 0;
  int64_t elementBytes = 1;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> byteStrides; // none negative
};

// Two arrays have a byte in common. Exact, unless the strides make the question too hard (many axes of incommensurable
// strides): then yes.
bool overlap(const StridedArray &a, const StridedArray &b);

// Two different elements of the array have a byte in common. Exact likewise.
bool overlapsItself(const StridedArray &array);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_OVERLAP_H
