// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Distributed.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

SmallVector<unsigned> rowMajorOrder(unsigned rank) {
  SmallVector<unsigned> order;
  for (unsigned i = rank; i-- > 0;)
    order.push_back(i);
  return order;
}

LinearLayout grid(Dim in, ArrayRef<int64_t> counts, ArrayRef<unsigned> order) {
  assert(counts.size() == order.size() && "each dimension has a place in the order");
  LinearLayout layout;
  for (unsigned dim : order)
    layout = layout * LinearLayout::identity(counts[dim], in, tileDim(dim));
  return layout;
}

LinearLayout fitToShape(const LinearLayout &layout, ArrayRef<int64_t> shape, ArrayRef<unsigned> order) {
  // Wrapping first: excess in one dimension does not count for another.
  SmallVector<DimSize> outs;
  for (auto [index, size] : enumerate(shape))
    outs.push_back({tileDim(index), std::min(Log2_64(size), layout.outputBits(tileDim(index)))});
  SmallVector<F2Vector> vectors;
  for (DimSize in : layout.inputs())
    for (F2Vector vector : layout.basisOf(in.dim)) {
      F2Vector wrapped = 0;
      for (DimSize out : outs)
        wrapped = wrapped << out.bits | (layout.coordinate(vector, out.dim) & (out.size() - 1));
      vectors.push_back(wrapped);
    }
  LinearLayout fitted(layout.inputs(), outs, vectors);
  SmallVector<int64_t> repeats;
  for (auto [index, size] : enumerate(shape)) {
    assert(isPowerOf2_64(size) && "sizes are powers of two");
    repeats.push_back(size >> outs[index].bits);
  }
  return fitted * grid(Dim::Register, repeats, order);
}

LinearLayout blockedLayout(const Blocked &blocked, ArrayRef<int64_t> shape) {
  return fitToShape(grid(Dim::Register, blocked.elements, blocked.order) *
                        grid(Dim::Lane, blocked.lanes, blocked.order) * grid(Dim::Warp, blocked.warps, blocked.order),
                    shape, blocked.order);
}

} // namespace tilewright::layout
