// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear layouts: which element of a tile a place of the machine holds, as a linear map over F2 (arXiv 2505.23819).
// docs/layouts.md explains them with pictures.
#ifndef TILEWRIGHT_LAYOUT_LINEARLAYOUT_H
#define TILEWRIGHT_LAYOUT_LINEARLAYOUT_H

#include "layout/F2Matrix.h"
#include "llvm/ADT/Hashing.h"
#include <initializer_list>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilewright::layout {

// A named dimension: of places (who holds a value) or of a tile (which value).
enum class Dim : uint8_t {
  Register, // of one thread, counted in elements, not in 32 bits
  Lane,     // thread of a warp
  Warp,     // of a thread block
  Block,    // thread block of a cluster
  Offset,   // in shared memory, counted in elements from a base aligned to 1024 bytes
  Row,      // tensor memory: its lane (0 to 127)
  Column,   // tensor memory: its column of 32 bits (0 to 511)
  D0,       // a tile's dimensions: D0, tileDim(1), ...
};
Dim tileDim(unsigned index);
bool isTileDim(Dim dim);
unsigned tileDimIndex(Dim dim);
std::string dimName(Dim dim);

// The size of a dimension is a power of two.
struct DimSize {
  Dim dim;
  unsigned bits;
  uint64_t size() const { return uint64_t(1) << bits; }
  bool operator==(const DimSize &other) const { return dim == other.dim && bits == other.bits; }
};

// A linear map from input to output dimensions. It is held as basis vectors: where each single bit of an input goes;
// the image of any input is the xor of those of its bits.
//
// The accumulator of mma.m16n8k16 has {register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8. Lane 5 =
// 0b00101 and register 3 = 0b11 hold (0,2) ^ (1,0) ^ (0,1) ^ (8,0) = row 9, column 3.
//
// Dimensions stand in the order of `Dim`. As a number, the inputs have the first dimension lowest (registers vary
// fastest), the outputs the last (a tile is row major). A dimension of size one is as good as none, except among the
// outputs of a tile: there it is part of the shape.
class LinearLayout {
public:
  // One point to one point: the identity of the product.
  LinearLayout() = default;
  // Basis vectors in the order of the inputs' bits, as numbers of the outputs. Dimensions may come in any order; the
  // vectors are those of the dimensions as given.
  LinearLayout(llvm::ArrayRef<DimSize> inputs, llvm::ArrayRef<DimSize> outputs, llvm::ArrayRef<F2Vector> bases);

  // Sizes are powers of two. `in` counts through `out`.
  static LinearLayout identity(uint64_t size, Dim in, Dim out);
  // All of `in` has the same element, the first of an output of size one.
  static LinearLayout zeros(uint64_t size, Dim in, Dim out);
  // `in` goes through `out` in steps: element i is at i * step.
  static LinearLayout strided(uint64_t size, uint64_t step, Dim in, Dim out);

  llvm::ArrayRef<DimSize> inputs() const { return ins; }
  llvm::ArrayRef<DimSize> outputs() const { return outs; }
  // Zero bits and size one where there is no such dimension.
  unsigned inputBits(Dim dim) const;
  unsigned outputBits(Dim dim) const;
  uint64_t inputSize(Dim dim) const { return uint64_t(1) << inputBits(dim); }
  uint64_t outputSize(Dim dim) const { return uint64_t(1) << outputBits(dim); }
  unsigned inputBits() const { return bases.size(); }
  unsigned outputBits() const;
  // The sizes of the outputs: the tile's shape.
  llvm::SmallVector<int64_t> shape() const;

  // The basis vectors of an input dimension, lowest bit first, as numbers of the outputs.
  llvm::ArrayRef<F2Vector> basisOf(Dim in) const;
  // One basis vector's part in one output dimension.
  uint64_t basis(Dim in, unsigned bit, Dim out) const;
  // An output number's part in a dimension, and the reverse.
  uint64_t coordinate(F2Vector output, Dim out) const;
  F2Vector outputAt(Dim out, uint64_t coordinate) const;
  F2Vector inputAt(Dim in, uint64_t index) const;
  uint64_t inputIndex(F2Vector input, Dim in) const;
  // The matrix between numbers of inputs and numbers of outputs.
  F2Matrix matrix() const { return F2Matrix(outputBits(), bases); }

  struct Index {
    Dim dim;
    uint64_t value;
  };
  F2Vector applyFlat(F2Vector input) const;
  F2Vector applyFlat(std::initializer_list<Index> input) const;
  // The coordinates in the order of the outputs; inputs not named are zero.
  llvm::SmallVector<int64_t> apply(std::initializer_list<Index> input) const;

  bool isSurjective() const { return matrix().rank() == outputBits(); }
  bool isInjective() const { return matrix().rank() == inputBits(); }
  bool isBijective() const { return inputBits() == outputBits() && isInjective(); }
  // As maps; dimensions of size one count in the shape of a tile only.
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

  // The direct product: `*this` is the tile, and `outer` says where the tiles go. Each dimension has the bits of
  // `*this` below those of `outer`.
  LinearLayout operator*(const LinearLayout &outer) const;
  // The outer layout with tile * outer == *this, if there is one.
  std::optional<LinearLayout> leftQuotient(const LinearLayout &tile) const;

  // First this map, then the next, whose inputs are this one's outputs.
  LinearLayout then(const LinearLayout &next) const;
  // Of a bijective layout.
  LinearLayout inverse() const;
  // Of a surjective layout: a place where each element is, with low registers first.
  // rightInverse().then(*this) is the identity.
  LinearLayout rightInverse() const;
  // Of an injective layout: then(leftInverse()) is the identity. Outputs that nothing maps to go anywhere.
  LinearLayout leftInverse() const;
  // The map with relativeTo(base).then(base) == *this: where `base` has what this layout has here.
  std::optional<LinearLayout> relativeTo(const LinearLayout &base) const;

  // Only these inputs; the others are zero.
  LinearLayout restrictInputs(llvm::ArrayRef<Dim> dims) const;
  // Only these outputs; the others are forgotten.
  LinearLayout restrictOutputs(llvm::ArrayRef<Dim> dims) const;
  LinearLayout renameInput(Dim from, Dim to) const;
  LinearLayout renameOutput(Dim from, Dim to) const;
  // Makes an output at least this large; nothing maps to what is new.
  LinearLayout extendOutput(Dim out, uint64_t size) const;

  // The layouts of the results of operations on shapes, for the layout of a tile (outputs D0, D1, ...).
  // permute: dimension i of the result is dimension permutation[i].
  LinearLayout permute(llvm::ArrayRef<unsigned> permutation) const;
  // The same elements in row-major order.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;
  LinearLayout flatten() const;
  // Without a dimension: the result of a reduction along `axis`, or the operand of a broadcast along it.
  LinearLayout slice(unsigned axis) const;
  // A dimension of size one before `axis`.
  LinearLayout expand(unsigned axis) const;
  // The dimension of size one becomes larger; each thread holds its copies in new registers.
  LinearLayout broadcast(unsigned axis, uint64_t size) const;

  // Bits of an input on which the element does not depend.
  uint64_t freeBits(Dim in) const;
  // The layout without such registers.
  LinearLayout withoutFreeRegisters() const;
  // Equal but for registers that are copies.
  bool sameUpToFreeRegisters(const LinearLayout &other) const;
  // Bits of an input that must be zero so that each element is held once: a place with others holds a copy of one
  // whose are zero. More than the free bits where sums of several vectors vanish.
  uint64_t redundantBits(Dim in) const;
  // How many elements along `out` a thread holds in registers 0, 1, 2, ... in their order.
  uint64_t consecutive(Dim out) const;

  // {register: (0,1) (8,0), lane: (0,2)} -> 16x8; LayoutText.h reads it.
  void print(llvm::raw_ostream &stream) const;
  std::string str() const;

  friend llvm::hash_code hash_value(const LinearLayout &layout);

private:
  unsigned inputShift(Dim dim) const;
  unsigned outputShift(Dim dim) const;
  F2Vector translate(F2Vector output, const LinearLayout &from) const;

  llvm::SmallVector<DimSize, 4> ins, outs;
  llvm::SmallVector<F2Vector, 16> bases;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_LINEARLAYOUT_H
