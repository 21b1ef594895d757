// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/MatrixAccess.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

LinearLayout matrixAccess(unsigned matrices, unsigned elementBits, bool transposed) {
  assert((matrices == 1 || matrices == 2 || matrices == 4) && elementBits <= 32 && 32 % elementBits == 0);
  assert((!transposed || elementBits == 16) && "a transposed matrix has elements of 16 bits");
  uint64_t inRegister = 32 / elementBits, row = 8 * kMatrixRowBytes / elementBits;
  // Lane 4r + c has the c-th 32 bits of row r; transposed, rows 2c and 2c + 1 of column r.
  LinearLayout matrix =
      transposed ? LinearLayout({{Dim::Register, 1}, {Dim::Lane, 5}}, {{Dim::Offset, 6}}, {8, 16, 32, 1, 2, 4})
                 : LinearLayout::identity(inRegister, Dim::Register, Dim::Offset) *
                       LinearLayout::identity(row / inRegister * kMatrixRows, Dim::Lane, Dim::Offset);
  return matrix * LinearLayout::identity(matrices, Dim::Register, Dim::Offset);
}

LinearLayout loadTransposedBytes(unsigned matrices) {
  assert(matrices == 1 || matrices == 2);
  return LinearLayout({{Dim::Register, 3}, {Dim::Lane, 5}}, {{Dim::Offset, 8}}, {16, 32, 8, 64, 128, 1, 2, 4}) *
         LinearLayout::identity(matrices, Dim::Register, Dim::Offset);
}

LinearLayout storeTransposedBytes(unsigned matrices) {
  assert(matrices == 1 || matrices == 2 || matrices == 4);
  return LinearLayout({{Dim::Register, 2}, {Dim::Lane, 5}}, {{Dim::Offset, 7}}, {16, 8, 32, 64, 1, 2, 4}) *
         LinearLayout::identity(matrices, Dim::Register, Dim::Offset);
}

} // namespace tilewright::layout
