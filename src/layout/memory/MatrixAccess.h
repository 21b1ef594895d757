// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix and stmatrix: a warp moves 8x8 matrices of 16 bits (or what fits in their rows of 16 bytes) between shared
// memory and the fragments of mma. PTX ISA 9.7.14.5.15 and .16.
#ifndef TILEWRIGHT_LAYOUT_MEMORY_MATRIXACCESS_H
#define TILEWRIGHT_LAYOUT_MEMORY_MATRIXACCESS_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

constexpr unsigned kMatrixRowBytes = 16, kMatrixRows = 8;

// Registers (counted in elements) and lanes -> Offset in elements, for matrices (1, 2 or 4) that lie one after another,
// each row after row. Rows may lie anywhere: only the bits of rows and of columns matter. With .trans, of
// 16-bit elements only, rows and columns of each matrix change places on the way.
LinearLayout matrixAccess(unsigned matrices, unsigned elementBits, bool transposed);

// Elements of 8 bits are transposed by instructions of their own, from sm_100a and sm_120a on. ldmatrix.m16n16.b8 (1 or
// 2 matrices of 16 rows) gives a thread four rows of a column, as operands of mma have k; stmatrix.m16n8.b8 (1, 2 or 4
// matrices of 8 rows) takes two rows of two columns, as accumulators of mma have n and m.
LinearLayout loadTransposedBytes(unsigned matrices);
LinearLayout storeTransposedBytes(unsigned matrices);

// The lane that supplies the address of a row of a matrix; with fewer than four matrices the other lanes' addresses
// are ignored.
inline unsigned addressLane(unsigned matrix, unsigned row) {
  return matrix * kMatrixRows + row;
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MEMORY_MATRIXACCESS_H
