// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of an SSA value of a kernel for one group of warps.
#ifndef TILEWRIGHT_GPU_SIMULATOR_SIMULATEDVALUE_H
#define TILEWRIGHT_GPU_SIMULATOR_SIMULATEDVALUE_H

#include "gpu_simulator/Holding.h"
#include "interpreter/Element.h"
#include <variant>

namespace tilewright::simulator {

using interpreter::Bits;
using interpreter::Element;

/// The elements of a tile that the group holds, in the order of `holding`. Without a holding a scalar; in the body of a
/// reduction one number for each line, since all lines are reduced at once.
struct Tile {
  Element element = Element::I1;
  const Holding *holding = nullptr;
  std::shared_ptr<const std::vector<Bits>> bits;

  Tile() = default;
  Tile(Element element, const Holding *holding, std::vector<Bits> numbers)
      : element(element), holding(holding), bits(std::make_shared<const std::vector<Bits>>(std::move(numbers))) {}
  static Tile scalar(Element element, Bits bits) { return Tile(element, nullptr, {bits}); }

  int64_t size() const { return bits->size(); }
  Bits at(int64_t place) const { return (*bits)[size() == 1 ? 0 : place]; }
  int64_t integer() const { return interpreter::signExtend(bits->front(), element); }
};

/// An array in memory; strides count elements.
struct View {
  uint64_t base = 0;
  Element element = Element::I8;
  llvm::SmallVector<int64_t, 4> shape, strides;
};

/// An array and the boxes that the tensor memory accelerator copies of it.
struct TensorMap {
  View array;
  llvm::SmallVector<int64_t, 4> box;
  int64_t swizzle = 16; // bytes
};

/// A tile in shared memory. If part of a stage, it is valid until the group has released `released` stages.
struct Buffer {
  int64_t offset = 0; // bytes
  tileas::BufferType type;
  mlir::Operation *owner = nullptr;
  int pipeline = -1;
  int64_t released = 0;
};

struct Pipeline {
  int number = 0;
};

/// A buffer for tiles of another block of the cluster, of those of the kernel.
struct Exchange {
  int number = 0;
};

/// The position of an actor in a pipeline's ring.
struct RingPlace {
  int64_t stage = 0;
  unsigned parity = 0; // of the phase that is waited for
  int64_t passed = 0;  // stages so far

  void advance(int64_t stages) {
    ++passed;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// A tile in tensor memory, of those of the kernel.
struct Tmem {
  int number = 0;
};

struct Token {};

using SimulatedValue = std::variant<Token, Tile, View, TensorMap, Buffer, Pipeline, RingPlace, Tmem, Exchange>;

/// The element of an element type or of index.
Element elementOfType(mlir::Type type);

} // namespace tilewright::simulator

#endif
