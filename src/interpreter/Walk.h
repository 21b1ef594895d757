// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the elements of a shape in row-major order.
#ifndef TILEWRIGHT_INTERPRETER_WALK_H
#define TILEWRIGHT_INTERPRETER_WALK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::interpreter {

using Index = llvm::SmallVector<int64_t, 4>;

// Calls visit(number, index) for each element.
template <typename Visit> void forEachIndex(llvm::ArrayRef<int64_t> shape, Visit visit) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  Index index(shape.size(), 0);
  for (int64_t number = 0; number < count; ++number) {
    visit(number, llvm::ArrayRef<int64_t>(index));
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

inline Index rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  Index strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

inline int64_t dot(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum += x * y;
  return sum;
}

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_WALK_H
