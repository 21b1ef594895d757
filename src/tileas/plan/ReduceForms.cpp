// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/ReduceForms.h"

#include "layout/Distributed.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using layout::F2Vector;
using layout::LinearLayout;

// The partial results without their dimension: the lines as the result has them.
static LinearLayout linesOf(const LinearLayout &partial, unsigned axis) {
  return partial.slice(axis).expand(axis).withoutFreeRegisters();
}

bool tileas::areLinesShared(const LinearLayout &tile, unsigned axis) {
  return any_of(tile.basisOf(Dim::Warp),
                [&](F2Vector basis) { return tile.coordinate(basis, layout::tileDim(axis)) != 0; });
}

std::optional<LinearLayout> tileas::linesInWarps(const LinearLayout &tile, unsigned axis) {
  Dim along = layout::tileDim(axis);
  SmallVector<F2Vector> bases;
  unsigned registers = tile.inputBits(Dim::Register), lanes = tile.inputBits(Dim::Lane);
  for (layout::DimSize in : tile.inputs())
    append_range(bases, tile.basisOf(in.dim));
  uint64_t vector = 1;
  for (layout::DimSize out : tile.outputs())
    vector = std::max(vector, tile.consecutive(out.dim));
  // Places that change: the highest registers, which are the farthest in memory, then the highest lanes.
  SmallVector<unsigned> places;
  for (unsigned bit = registers; bit-- > Log2_64(vector);)
    places.push_back(bit);
  for (unsigned bit = registers + lanes; bit-- > registers;)
    places.push_back(bit);
  erase_if(places, [&](unsigned place) { return bases[place] == 0 || tile.coordinate(bases[place], along) != 0; });
  size_t used = 0;
  for (F2Vector &warp : MutableArrayRef(bases).drop_front(registers + lanes)) {
    if (tile.coordinate(warp, along) == 0)
      continue;
    if (used == places.size())
      return std::nullopt;
    std::swap(warp, bases[places[used++]]);
  }
  return LinearLayout(tile.inputs(), tile.outputs(), bases);
}

LinearLayout tileas::partsInRegisters(const LinearLayout &partial, unsigned axis) {
  Dim along = layout::tileDim(axis);
  return linesOf(partial, axis) * LinearLayout::identity(partial.outputSize(along), Dim::Register, along);
}

std::optional<LinearLayout> tileas::partsInLanes(const LinearLayout &partial, unsigned axis) {
  Dim along = layout::tileDim(axis);
  LinearLayout lines = linesOf(partial, axis);
  uint64_t free = lines.freeBits(Dim::Lane), parts = partial.outputSize(along);
  if (free == 0)
    return std::nullopt;
  uint64_t inLanes = std::min(parts, uint64_t(1) << popcount(free));
  LinearLayout wide = lines.extendOutput(along, inLanes);
  SmallVector<F2Vector> bases;
  uint64_t part = 1;
  for (layout::DimSize in : wide.inputs())
    for (auto [bit, basis] : enumerate(wide.basisOf(in.dim))) {
      bool takes = in.dim == Dim::Lane && (free >> bit & 1) && part < inLanes;
      bases.push_back(takes ? wide.outputAt(along, part) : basis);
      part *= takes ? 2 : 1;
    }
  return LinearLayout(wide.inputs(), wide.outputs(), bases) *
         LinearLayout::identity(parts / inLanes, Dim::Register, along);
}

std::optional<LinearLayout> tileas::partsInOtherThreads(const LinearLayout &partial, unsigned axis) {
  SmallVector<int64_t> shape = partial.shape();
  layout::Blocked blocked{SmallVector<int64_t>(shape.size(), 1), SmallVector<int64_t>(shape.size(), 1),
                          SmallVector<int64_t>(shape.size(), 1), layout::rowMajorOrder(shape.size())};
  blocked.elements[axis] = shape[axis];
  SmallVector<int64_t> left(shape);
  left[axis] = 1;
  auto spread = [&](SmallVector<int64_t> &counts, int64_t threads) {
    for (unsigned dim : blocked.order) {
      int64_t taken = std::min(left[dim], threads);
      counts[dim] *= taken;
      left[dim] /= taken;
      threads /= taken;
    }
    counts[blocked.order.back()] *= threads; // the others hold copies
  };
  spread(blocked.lanes, layout::kLanes);
  spread(blocked.warps, partial.inputSize(Dim::Warp));
  LinearLayout made = layout::blockedLayout(blocked, shape);
  if (linesOf(made, axis).inputBits(Dim::Register) >= linesOf(partial, axis).inputBits(Dim::Register))
    return std::nullopt;
  return made;
}
