// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of the results of operations on the shape of a tile.
#include "layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

static void checkIsTile(ArrayRef<DimSize> outs) {
  for (auto [index, out] : enumerate(outs))
    assert(out.dim == tileDim(index) && "the outputs are the dimensions of a tile");
}

LinearLayout LinearLayout::permute(ArrayRef<unsigned> permutation) const {
  checkIsTile(outs);
  assert(permutation.size() == outs.size());
  LinearLayout result(*this);
  for (auto [to, from] : enumerate(permutation))
    result.outs[to] = {tileDim(to), outs[from].bits};
  for (auto [vector, moved] : zip_equal(bases, result.bases)) {
    moved = 0;
    for (auto [to, from] : enumerate(permutation))
      moved |= result.outputAt(tileDim(to), coordinate(vector, tileDim(from)));
  }
  return result;
}

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> shape) const {
  checkIsTile(outs);
  LinearLayout result(*this);
  result.outs.clear();
  for (auto [index, size] : enumerate(shape)) {
    assert(isPowerOf2_64(size) && "sizes are powers of two");
    result.outs.push_back({tileDim(index), Log2_64(size)});
  }
  assert(result.outputBits() == outputBits() && "as many elements as before");
  return result; // numbers of outputs are row major, so they stay
}

LinearLayout LinearLayout::flatten() const {
  return reshape({int64_t(1) << outputBits()});
}

LinearLayout LinearLayout::slice(unsigned axis) const {
  checkIsTile(outs);
  SmallVector<Dim> kept;
  for (DimSize out : outs)
    if (out.dim != tileDim(axis))
      kept.push_back(out.dim);
  LinearLayout result = restrictOutputs(kept);
  for (auto [index, out] : enumerate(result.outs))
    out.dim = tileDim(index);
  return result;
}

LinearLayout LinearLayout::expand(unsigned axis) const {
  SmallVector<int64_t> sizes = shape();
  sizes.insert(sizes.begin() + axis, 1);
  return reshape(sizes);
}

LinearLayout LinearLayout::broadcast(unsigned axis, uint64_t size) const {
  checkIsTile(outs);
  assert(outputBits(tileDim(axis)) == 0 && "a dimension of size one");
  return *this * identity(size, Dim::Register, tileDim(axis));
}

} // namespace tilewright::layout
