// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear algebra over the field of two elements. A vector is the bits of a word: adding is xor, so that everything here
// is a few machine instructions per vector, and 64 entries are more than the bits of any tile.
#ifndef TILEWRIGHT_LAYOUT_F2MATRIX_H
#define TILEWRIGHT_LAYOUT_F2MATRIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>

namespace tilewright::layout {

using F2Vector = uint64_t;

// The span of vectors, in echelon form: each kept vector has a highest bit of its own. Remembers how each was made of
// the vectors put in, so that it answers membership and coordinates alike.
class F2Space {
public:
  F2Space() = default;
  F2Space(llvm::ArrayRef<F2Vector> vectors) { insert(vectors); }

  // Whether the vector was new; vectors that are sums of earlier ones do not count.
  bool insert(F2Vector vector);
  void insert(llvm::ArrayRef<F2Vector> vectors);

  bool contains(F2Vector vector) const { return coordinates(vector).has_value(); }
  // Bit i is set where the i-th vector put in takes part in the sum; only vectors that were new do.
  std::optional<F2Vector> coordinates(F2Vector vector) const;
  // The remainder of a vector modulo the span: equal for vectors that differ by one of the span.
  F2Vector remainder(F2Vector vector) const;

  unsigned dimension() const { return size; }
  // The vectors in echelon form, highest bit ascending.
  llvm::SmallVector<F2Vector> basis() const;

private:
  struct Row {
    F2Vector vector = 0;      // zero: none with this highest bit
    F2Vector combination = 0; // of the vectors put in
  };
  Row reduce(Row row) const;

  std::array<Row, 64> rows;
  unsigned size = 0, inserted = 0;
};

// The vectors that lie in both spans, as a basis.
llvm::SmallVector<F2Vector> intersection(llvm::ArrayRef<F2Vector> a, llvm::ArrayRef<F2Vector> b);

// A matrix, as its columns: the images of the unit vectors.
class F2Matrix {
public:
  F2Matrix(unsigned rows, llvm::ArrayRef<F2Vector> columns) : rowCount(rows), columns(columns.begin(), columns.end()) {}
  static F2Matrix identity(unsigned size);

  unsigned numRows() const { return rowCount; }
  unsigned numColumns() const { return columns.size(); }
  F2Vector column(unsigned index) const { return columns[index]; }

  F2Vector apply(F2Vector vector) const;
  F2Matrix operator*(const F2Matrix &right) const;
  F2Matrix transpose() const;
  bool operator==(const F2Matrix &other) const { return rowCount == other.rowCount && columns == other.columns; }

  unsigned rank() const { return F2Space(columns).dimension(); }
  // A vector that the matrix maps to `image`: the one made of the earliest columns.
  std::optional<F2Vector> solve(F2Vector image) const { return F2Space(columns).coordinates(image); }
  // A basis of the vectors mapped to zero. Each has as its highest bit a column that earlier columns make up, and no
  // two share it.
  llvm::SmallVector<F2Vector> kernel() const;
  // Nothing if the matrix is not square or not of full rank.
  std::optional<F2Matrix> inverse() const;

private:
  unsigned rowCount;
  llvm::SmallVector<F2Vector> columns;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_F2MATRIX_H
