// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of an SSA value of cuda_tile while a tile block runs.
#ifndef TILEWRIGHT_INTERPRETER_VALUE_H
#define TILEWRIGHT_INTERPRETER_VALUE_H

#include "cuda_tile/ir/CudaTile.h"
#include "interpreter/Element.h"
#include "llvm/ADT/BitVector.h"
#include <memory>
#include <variant>

namespace tilewright::interpreter {

// Elements without a defined value, and the operation that they come from.
struct Undefined {
  llvm::BitVector elements;
  mlir::Operation *origin = nullptr;
};

// A tile, row-major. tile<2x2xi8> of [[1, -1], [0, 2]] is shape {2, 2}, bits {1, 0xFF, 0, 2}.
struct Tile {
  Element element = Element::I1;
  llvm::SmallVector<int64_t, 4> shape;
  // A scalar, the one element of rank 0, needs no heap.
  llvm::SmallVector<Bits, 1> bits;
  // In checked mode: which elements have no defined value. Null if all have; the checker sets it after each operation.
  std::shared_ptr<const Undefined> undefined;

  Tile() = default;
  // All elements zero.
  Tile(Element element, llvm::ArrayRef<int64_t> shape);
  // Of a type, all elements zero.
  explicit Tile(cuda_tile::TileType type);
  static Tile scalar(Element element, Bits bits);

  int64_t size() const { return bits.size(); }
  // Of a rank-0 tile, or the first element.
  Bits scalarBits() const { return bits.front(); }
  int64_t scalarInt() const { return signExtend(bits.front(), element); }
};

// A tensor in memory. Strides count elements.
struct TensorView {
  uint64_t base = 0;
  Element element = Element::I8;
  llvm::SmallVector<int64_t, 4> shape, strides;
};

// A tensor accessed tile by tile, as the type describes.
struct TileView {
  TensorView tensor;
  cuda_tile::TileView type;
};

// Represents the accesses ordered before, which the monitor knows. Without one all tokens are 0.
struct Token {
  uint64_t id = 0;
};

using Value = std::variant<Token, Tile, TensorView, TileView>;

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_VALUE_H
