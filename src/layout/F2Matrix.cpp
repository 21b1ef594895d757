// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/F2Matrix.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

F2Space::Row F2Space::reduce(Row row) const {
  // A row with a lower highest bit cannot set a bit again that was eliminated, so one pass is enough.
  for (F2Vector open = row.vector; open;) {
    unsigned bit = Log2_64(open);
    open &= ~(F2Vector(1) << bit);
    if (!rows[bit].vector)
      continue;
    row.vector ^= rows[bit].vector;
    row.combination ^= rows[bit].combination;
    open = row.vector & maskTrailingOnes<uint64_t>(bit);
  }
  return row;
}

bool F2Space::insert(F2Vector vector) {
  assert(inserted < 64 && "at most 64 vectors");
  Row row = reduce({vector, F2Vector(1) << inserted++});
  if (!row.vector)
    return false;
  rows[Log2_64(row.vector)] = row;
  ++size;
  return true;
}

void F2Space::insert(ArrayRef<F2Vector> vectors) {
  for (F2Vector vector : vectors)
    insert(vector);
}

std::optional<F2Vector> F2Space::coordinates(F2Vector vector) const {
  Row row = reduce({vector, 0});
  if (row.vector)
    return std::nullopt;
  return row.combination;
}

F2Vector F2Space::remainder(F2Vector vector) const {
  return reduce({vector, 0}).vector;
}

SmallVector<F2Vector> F2Space::basis() const {
  SmallVector<F2Vector> vectors;
  for (const Row &row : rows)
    if (row.vector)
      vectors.push_back(row.vector);
  return vectors;
}

SmallVector<F2Vector> intersection(ArrayRef<F2Vector> a, ArrayRef<F2Vector> b) {
  // A sum over a that equals a sum over b is a dependency between the two lists.
  SmallVector<F2Vector> first = F2Space(a).basis(), second = F2Space(b).basis();
  SmallVector<F2Vector> both(first);
  both.append(second);
  SmallVector<F2Vector> common;
  for (F2Vector dependency : F2Matrix(64, both).kernel()) {
    F2Vector sum = 0;
    for (unsigned i = 0; i < first.size(); ++i)
      if (dependency >> i & 1)
        sum ^= first[i];
    common.push_back(sum);
  }
  return common;
}

F2Matrix F2Matrix::identity(unsigned size) {
  SmallVector<F2Vector> columns;
  for (unsigned i = 0; i < size; ++i)
    columns.push_back(F2Vector(1) << i);
  return F2Matrix(size, columns);
}

F2Vector F2Matrix::apply(F2Vector vector) const {
  F2Vector image = 0;
  for (unsigned i = 0; i < columns.size(); ++i)
    if (vector >> i & 1)
      image ^= columns[i];
  return image;
}

F2Matrix F2Matrix::operator*(const F2Matrix &right) const {
  assert(numColumns() == right.numRows());
  SmallVector<F2Vector> product;
  for (F2Vector column : right.columns)
    product.push_back(apply(column));
  return F2Matrix(rowCount, product);
}

F2Matrix F2Matrix::transpose() const {
  SmallVector<F2Vector> transposed(rowCount, 0);
  for (unsigned i = 0; i < columns.size(); ++i)
    for (unsigned row = 0; row < rowCount; ++row)
      if (columns[i] >> row & 1)
        transposed[row] |= F2Vector(1) << i;
  return F2Matrix(columns.size(), transposed);
}

SmallVector<F2Vector> F2Matrix::kernel() const {
  SmallVector<F2Vector> vectors;
  F2Space span;
  for (unsigned i = 0; i < columns.size(); ++i) {
    // Before it goes in: afterwards the column would be found as itself.
    if (std::optional<F2Vector> earlier = span.coordinates(columns[i]))
      vectors.push_back(*earlier | F2Vector(1) << i);
    span.insert(columns[i]);
  }
  return vectors;
}

std::optional<F2Matrix> F2Matrix::inverse() const {
  if (numRows() != numColumns())
    return std::nullopt;
  F2Space span(columns);
  if (span.dimension() != rowCount)
    return std::nullopt;
  SmallVector<F2Vector> inverted;
  for (unsigned i = 0; i < rowCount; ++i)
    inverted.push_back(*span.coordinates(F2Vector(1) << i));
  return F2Matrix(rowCount, inverted);
}

} // namespace tilewright::layout
