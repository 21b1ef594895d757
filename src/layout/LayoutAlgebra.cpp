// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts made of layouts: products and quotients, composition and inverses, restrictions to some dimensions.
#include "layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

// The dimensions of both, with the bits of each.
static SmallVector<DimSize, 4> merged(ArrayRef<DimSize> a, ArrayRef<DimSize> b) {
  SmallVector<DimSize, 4> both(a.begin(), a.end());
  for (DimSize dim : b) {
    auto *same = llvm::find_if(both, [&](DimSize other) { return other.dim == dim.dim; });
    if (same == both.end())
      both.push_back(dim);
    else
      same->bits += dim.bits;
  }
  llvm::sort(both, [](DimSize a, DimSize b) { return a.dim < b.dim; });
  return both;
}

LinearLayout LinearLayout::operator*(const LinearLayout &outer) const {
  LinearLayout product;
  product.ins = merged(ins, outer.ins);
  product.outs = merged(outs, outer.outs);
  for (DimSize in : product.ins) {
    for (F2Vector vector : basisOf(in.dim))
      product.bases.push_back(product.translate(vector, *this));
    for (F2Vector vector : outer.basisOf(in.dim)) {
      F2Vector moved = 0;
      for (DimSize out : outer.outs)
        moved |= product.outputAt(out.dim, outer.coordinate(vector, out.dim) << outputBits(out.dim));
      product.bases.push_back(moved);
    }
  }
  return product;
}

std::optional<LinearLayout> LinearLayout::leftQuotient(const LinearLayout &tile) const {
  LinearLayout quotient;
  for (DimSize in : tile.ins)
    if (in.bits > inputBits(in.dim))
      return std::nullopt;
  for (DimSize out : tile.outs)
    if (out.bits > outputBits(out.dim))
      return std::nullopt;
  for (DimSize in : ins)
    quotient.ins.push_back({in.dim, in.bits - tile.inputBits(in.dim)});
  for (DimSize out : outs)
    quotient.outs.push_back({out.dim, out.bits - tile.outputBits(out.dim)});
  for (DimSize in : ins)
    for (auto [bit, vector] : enumerate(basisOf(in.dim))) {
      if (bit < tile.inputBits(in.dim)) {
        if (vector != translate(tile.basisOf(in.dim)[bit], tile))
          return std::nullopt;
        continue;
      }
      F2Vector outer = 0;
      for (DimSize out : outs) {
        uint64_t at = coordinate(vector, out.dim);
        if (at & (tile.outputSize(out.dim) - 1))
          return std::nullopt;
        outer |= quotient.outputAt(out.dim, at >> tile.outputBits(out.dim));
      }
      quotient.bases.push_back(outer);
    }
  return quotient;
}

LinearLayout LinearLayout::then(const LinearLayout &next) const {
  for (DimSize out : outs)
    assert(out.bits <= next.inputBits(out.dim) && "each output is an input of the next map");
  LinearLayout composed;
  composed.ins = ins;
  composed.outs = next.outs;
  for (F2Vector vector : bases) {
    F2Vector input = 0;
    for (DimSize out : outs)
      input |= next.inputAt(out.dim, coordinate(vector, out.dim));
    composed.bases.push_back(next.applyFlat(input));
  }
  return composed;
}

// The layout between swapped dimensions that sends each unit vector of the outputs to `preimage` of it.
static LinearLayout reversed(const LinearLayout &layout, function_ref<F2Vector(F2Vector)> preimage) {
  // Each number is taken apart by its old dimensions and put together by its new ones.
  unsigned bits = 0;
  for (DimSize in : layout.inputs())
    bits += in.bits;
  SmallVector<F2Vector> vectors;
  for (DimSize out : layout.outputs())
    for (unsigned bit = 0; bit < out.bits; ++bit) {
      F2Vector input = preimage(layout.outputAt(out.dim, uint64_t(1) << bit)), number = 0;
      unsigned shift = bits;
      for (DimSize in : layout.inputs()) {
        shift -= in.bits;
        number |= layout.inputIndex(input, in.dim) << shift;
      }
      vectors.push_back(number);
    }
  return LinearLayout(layout.outputs(), layout.inputs(), vectors);
}

LinearLayout LinearLayout::rightInverse() const {
  assert(isSurjective() && "each element is held somewhere");
  F2Space span(bases);
  return reversed(*this, [&](F2Vector unit) { return *span.coordinates(unit); });
}

LinearLayout LinearLayout::inverse() const {
  assert(isBijective());
  return rightInverse();
}

LinearLayout LinearLayout::leftInverse() const {
  assert(isInjective() && "no two places hold the same element");
  F2Space span(bases);
  for (unsigned bit = 0; bit < outputBits(); ++bit)
    span.insert(F2Vector(1) << bit);
  return reversed(*this,
                  [&](F2Vector unit) { return *span.coordinates(unit) & maskTrailingOnes<uint64_t>(inputBits()); });
}

std::optional<LinearLayout> LinearLayout::relativeTo(const LinearLayout &base) const {
  unsigned bits = base.inputBits();
  F2Space span(base.bases);
  SmallVector<F2Vector> vectors;
  for (F2Vector vector : bases) {
    for (DimSize out : outs)
      if (coordinate(vector, out.dim) >= base.outputSize(out.dim))
        return std::nullopt;
    std::optional<F2Vector> input = span.coordinates(base.translate(vector, *this));
    if (!input)
      return std::nullopt;
    F2Vector number = 0;
    unsigned shift = bits;
    for (DimSize in : base.ins) {
      shift -= in.bits;
      number |= base.inputIndex(*input, in.dim) << shift;
    }
    vectors.push_back(number);
  }
  return LinearLayout(ins, base.ins, vectors);
}

LinearLayout LinearLayout::restrictInputs(ArrayRef<Dim> dims) const {
  LinearLayout restricted;
  restricted.outs = outs;
  for (DimSize in : ins)
    if (is_contained(dims, in.dim)) {
      restricted.ins.push_back(in);
      append_range(restricted.bases, basisOf(in.dim));
    }
  return restricted;
}

LinearLayout LinearLayout::restrictOutputs(ArrayRef<Dim> dims) const {
  LinearLayout restricted;
  restricted.ins = ins;
  for (DimSize out : outs)
    if (is_contained(dims, out.dim))
      restricted.outs.push_back(out);
  for (F2Vector vector : bases)
    restricted.bases.push_back(restricted.translate(vector, *this));
  return restricted;
}

LinearLayout LinearLayout::renameInput(Dim from, Dim to) const {
  SmallVector<DimSize, 4> renamed(ins);
  for (DimSize &in : renamed)
    if (in.dim == from)
      in.dim = to;
  return LinearLayout(renamed, outs, bases);
}

LinearLayout LinearLayout::renameOutput(Dim from, Dim to) const {
  SmallVector<DimSize, 4> renamed(outs);
  for (DimSize &out : renamed)
    if (out.dim == from)
      out.dim = to;
  return LinearLayout(ins, renamed, bases);
}

} // namespace tilewright::layout
