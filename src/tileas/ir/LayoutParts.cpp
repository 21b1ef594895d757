// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LayoutParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using namespace tilewright::layout;
using llvm::ArrayRef;
using llvm::SmallVector;

std::optional<SmallVector<tileas::PlaceBit>> tileas::placesAlong(const LinearLayout &layout, unsigned dim) {
  Dim along = tileDim(dim);
  SmallVector<PlaceBit> places(layout.outputBits(along), PlaceBit{Dim::Offset, 0});
  for (DimSize in : layout.inputs())
    for (auto [bit, basis] : llvm::enumerate(layout.basisOf(in.dim))) {
      uint64_t part = layout.coordinate(basis, along);
      if (part == 0)
        continue;
      bool isOne = llvm::isPowerOf2_64(part) && basis == layout.outputAt(along, part);
      if (!isOne || (in.dim != Dim::Register && in.dim != Dim::Lane))
        return std::nullopt;
      PlaceBit &place = places[llvm::Log2_64(part)];
      if (place.dim != Dim::Offset)
        return std::nullopt;
      place = {in.dim, unsigned(bit)};
    }
  if (llvm::any_of(places, [](PlaceBit place) { return place.dim == Dim::Offset; }))
    return std::nullopt;
  return places;
}

LinearLayout tileas::repeatedOver(const LinearLayout &whole, ArrayRef<int64_t> shape) {
  SmallVector<DimSize> outputs;
  for (auto [dim, extent] : llvm::enumerate(shape))
    outputs.push_back({tileDim(dim), unsigned(llvm::Log2_64(extent))});
  LinearLayout part({}, outputs, {});
  SmallVector<F2Vector> bases;
  for (DimSize in : whole.inputs())
    for (F2Vector basis : whole.basisOf(in.dim)) {
      F2Vector image = 0;
      for (auto [dim, extent] : llvm::enumerate(shape))
        image |= part.outputAt(tileDim(dim), whole.coordinate(basis, tileDim(dim)) & (extent - 1));
      bases.push_back(image);
    }
  return LinearLayout(whole.inputs(), outputs, bases);
}

std::optional<LinearLayout> tileas::layoutOfParts(const LinearLayout &whole, ArrayRef<int64_t> shape, Dim by) {
  SmallVector<DimSize> outputs;
  for (auto [dim, extent] : llvm::enumerate(shape))
    outputs.push_back({tileDim(dim), unsigned(llvm::Log2_64(extent))});
  LinearLayout part({}, outputs, {});
  SmallVector<DimSize> inputs;
  SmallVector<F2Vector> bases;
  F2Space parts;
  for (DimSize in : whole.inputs()) {
    unsigned bits = 0;
    for (F2Vector basis : whole.basisOf(in.dim)) {
      F2Vector low = 0, high = 0;
      for (auto [dim, extent] : llvm::enumerate(shape)) {
        uint64_t place = whole.coordinate(basis, tileDim(dim));
        low |= part.outputAt(tileDim(dim), place & (extent - 1));
        high |= whole.outputAt(tileDim(dim), place & ~(extent - 1));
      }
      if (high) {
        if (in.dim != by || low || !parts.insert(high))
          return std::nullopt;
        continue;
      }
      bases.push_back(low);
      ++bits;
    }
    inputs.push_back({in.dim, bits});
  }
  return LinearLayout(inputs, outputs, bases);
}

LinearLayout tileas::inWarps(const LinearLayout &layout, unsigned warps) {
  unsigned kept = llvm::Log2_32(warps);
  if (layout.inputBits(Dim::Warp) <= kept)
    return layout;
  SmallVector<F2Vector> bases(layout.basisOf(Dim::Register));
  // Copies are not made again.
  llvm::copy_if(layout.basisOf(Dim::Warp).drop_front(kept), std::back_inserter(bases),
                [](F2Vector basis) { return basis != 0; });
  unsigned registers = bases.size();
  llvm::append_range(bases, layout.basisOf(Dim::Lane));
  llvm::append_range(bases, layout.basisOf(Dim::Warp).take_front(kept));
  return LinearLayout({{Dim::Register, registers}, {Dim::Lane, layout.inputBits(Dim::Lane)}, {Dim::Warp, kept}},
                      layout.outputs(), bases);
}
