// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

Dim tileDim(unsigned index) {
  assert(index < 256 - unsigned(Dim::D0));
  return Dim(unsigned(Dim::D0) + index);
}
bool isTileDim(Dim dim) {
  return dim >= Dim::D0;
}
unsigned tileDimIndex(Dim dim) {
  assert(isTileDim(dim));
  return unsigned(dim) - unsigned(Dim::D0);
}

std::string dimName(Dim dim) {
  static const char *names[] = {"register", "lane", "warp", "block", "offset", "row", "column"};
  return isTileDim(dim) ? ("d" + Twine(tileDimIndex(dim))).str() : names[unsigned(dim)];
}

static unsigned bitsOf(uint64_t size) {
  assert(isPowerOf2_64(size) && "sizes are powers of two");
  return Log2_64(size);
}

static unsigned totalBits(ArrayRef<DimSize> dims) {
  unsigned bits = 0;
  for (DimSize dim : dims)
    bits += dim.bits;
  return bits;
}

static unsigned bitsIn(ArrayRef<DimSize> dims, Dim wanted) {
  for (DimSize dim : dims)
    if (dim.dim == wanted)
      return dim.bits;
  return 0;
}

static SmallVector<DimSize, 4> sorted(ArrayRef<DimSize> dims) {
  SmallVector<DimSize, 4> inOrder(dims.begin(), dims.end());
  llvm::sort(inOrder, [](DimSize a, DimSize b) { return a.dim < b.dim; });
  for (unsigned i = 1; i < inOrder.size(); ++i)
    assert(inOrder[i - 1].dim != inOrder[i].dim && "a dimension is named once");
  return inOrder;
}

// The bits of an output number that belong to a dimension stand above those of the dimensions after it.
static unsigned shiftOfOutput(ArrayRef<DimSize> outs, Dim wanted) {
  unsigned shift = totalBits(outs);
  for (DimSize out : outs) {
    shift -= out.bits;
    if (out.dim == wanted)
      return shift;
  }
  return 0;
}

LinearLayout::LinearLayout(ArrayRef<DimSize> inputs, ArrayRef<DimSize> outputs, ArrayRef<F2Vector> vectors)
    : ins(sorted(inputs)), outs(sorted(outputs)), bases(vectors.size(), 0) {
  assert(vectors.size() == totalBits(ins) && "a basis vector for each bit of the inputs");
  assert(totalBits(ins) < 64 && totalBits(outs) < 64);
  unsigned next = 0;
  for (DimSize in : inputs)
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      F2Vector vector = vectors[next++];
      assert((vector >> totalBits(outs)) == 0 && "a basis vector lies inside the outputs");
      for (DimSize out : outputs)
        bases[inputShift(in.dim) + bit] |=
            outputAt(out.dim, vector >> shiftOfOutput(outputs, out.dim) & (out.size() - 1));
    }
}

LinearLayout LinearLayout::strided(uint64_t size, uint64_t step, Dim in, Dim out) {
  unsigned bits = bitsOf(size), low = bitsOf(step);
  SmallVector<F2Vector> vectors;
  for (unsigned bit = 0; bit < bits; ++bit)
    vectors.push_back(F2Vector(1) << (low + bit));
  return LinearLayout({{in, bits}}, {{out, bits ? low + bits : 0}}, vectors);
}

LinearLayout LinearLayout::identity(uint64_t size, Dim in, Dim out) {
  return strided(size, 1, in, out);
}

LinearLayout LinearLayout::zeros(uint64_t size, Dim in, Dim out) {
  return LinearLayout({{in, bitsOf(size)}}, {{out, 0}}, SmallVector<F2Vector>(bitsOf(size), 0));
}

unsigned LinearLayout::inputBits(Dim dim) const {
  return bitsIn(ins, dim);
}
unsigned LinearLayout::outputBits(Dim dim) const {
  return bitsIn(outs, dim);
}
unsigned LinearLayout::outputBits() const {
  return totalBits(outs);
}

unsigned LinearLayout::inputShift(Dim dim) const {
  unsigned shift = 0;
  for (DimSize in : ins) {
    if (in.dim == dim)
      break;
    shift += in.bits;
  }
  return shift;
}
unsigned LinearLayout::outputShift(Dim dim) const {
  return shiftOfOutput(outs, dim);
}

SmallVector<int64_t> LinearLayout::shape() const {
  SmallVector<int64_t> sizes;
  for (DimSize out : outs)
    sizes.push_back(out.size());
  return sizes;
}

ArrayRef<F2Vector> LinearLayout::basisOf(Dim in) const {
  return ArrayRef<F2Vector>(bases).slice(inputBits(in) ? inputShift(in) : 0, inputBits(in));
}

uint64_t LinearLayout::basis(Dim in, unsigned bit, Dim out) const {
  return coordinate(basisOf(in)[bit], out);
}

uint64_t LinearLayout::coordinate(F2Vector output, Dim out) const {
  return output >> outputShift(out) & (outputSize(out) - 1);
}
F2Vector LinearLayout::outputAt(Dim out, uint64_t coordinate) const {
  assert(coordinate < outputSize(out) && "inside the dimension");
  return coordinate << outputShift(out);
}
F2Vector LinearLayout::inputAt(Dim in, uint64_t index) const {
  assert(index < inputSize(in) && "inside the dimension");
  return index ? index << inputShift(in) : 0;
}
uint64_t LinearLayout::inputIndex(F2Vector input, Dim in) const {
  return inputBits(in) ? input >> inputShift(in) & (inputSize(in) - 1) : 0;
}

F2Vector LinearLayout::applyFlat(F2Vector input) const {
  F2Vector output = 0;
  for (; input; input &= input - 1)
    output ^= bases[countr_zero(input)];
  return output;
}

F2Vector LinearLayout::applyFlat(std::initializer_list<Index> input) const {
  F2Vector flat = 0;
  for (Index index : input)
    flat |= inputAt(index.dim, index.value);
  return applyFlat(flat);
}

SmallVector<int64_t> LinearLayout::apply(std::initializer_list<Index> input) const {
  F2Vector output = applyFlat(input);
  SmallVector<int64_t> coordinates;
  for (DimSize out : outs)
    coordinates.push_back(coordinate(output, out.dim));
  return coordinates;
}

static bool countsAsInput(DimSize in) {
  return in.bits != 0;
}
static bool countsAsOutput(DimSize out) {
  return out.bits != 0 || isTileDim(out.dim);
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return llvm::equal(make_filter_range(ins, countsAsInput), make_filter_range(other.ins, countsAsInput)) &&
         llvm::equal(make_filter_range(outs, countsAsOutput), make_filter_range(other.outs, countsAsOutput)) &&
         bases == other.bases;
}

hash_code hash_value(const LinearLayout &layout) {
  hash_code code = hash_combine_range(layout.bases.begin(), layout.bases.end());
  for (DimSize in : make_filter_range(layout.ins, countsAsInput))
    code = hash_combine(code, in.dim, in.bits);
  for (DimSize out : make_filter_range(layout.outs, countsAsOutput))
    code = hash_combine(code, out.dim, out.bits);
  return code;
}

// The number of this layout's outputs that has the coordinates of a number of another's.
F2Vector LinearLayout::translate(F2Vector output, const LinearLayout &from) const {
  F2Vector number = 0;
  for (DimSize out : from.outs)
    if (outputBits(out.dim))
      number |= outputAt(out.dim, from.coordinate(output, out.dim) & (outputSize(out.dim) - 1));
  return number;
}

LinearLayout LinearLayout::extendOutput(Dim out, uint64_t size) const {
  unsigned bits = outputBits(out);
  return bits < bitsOf(size) ? *this * LinearLayout({}, {{out, bitsOf(size) - bits}}, {}) : *this;
}

uint64_t LinearLayout::freeBits(Dim in) const {
  uint64_t mask = 0;
  for (auto [bit, vector] : enumerate(basisOf(in)))
    if (!vector)
      mask |= uint64_t(1) << bit;
  return mask;
}

LinearLayout LinearLayout::withoutFreeRegisters() const {
  LinearLayout kept;
  kept.outs = outs;
  for (DimSize in : ins) {
    unsigned bits = 0;
    for (F2Vector vector : basisOf(in.dim))
      if (vector || in.dim != Dim::Register) {
        kept.bases.push_back(vector);
        ++bits;
      }
    kept.ins.push_back({in.dim, bits});
  }
  return kept;
}

bool LinearLayout::sameUpToFreeRegisters(const LinearLayout &other) const {
  return withoutFreeRegisters() == other.withoutFreeRegisters();
}

uint64_t LinearLayout::redundantBits(Dim in) const {
  F2Vector mask = 0;
  F2Space span;
  for (auto [bit, vector] : enumerate(bases))
    if (!span.insert(vector))
      mask |= F2Vector(1) << bit;
  return inputIndex(mask, in);
}

uint64_t LinearLayout::consecutive(Dim out) const {
  uint64_t count = 1;
  for (F2Vector vector : basisOf(Dim::Register)) {
    if (count >= outputSize(out) || vector != outputAt(out, count))
      break;
    count *= 2;
  }
  return count;
}

} // namespace tilewright::layout
