// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of tiles that warps hold. A kernel runs on the host by groups of warps: each group computes the elements
// that its threads have, and no others, so an operation that needs an element of another group is an error.
//
//   {register: 1, lane: 2 4 8 16 32, warp: 64 0} -> 128     4 warps: warp 0 holds 0 to 63, warp 1 the rest;
//                                                           2 and 3 hold copies, and have no originals
#ifndef TILEWRIGHT_GPU_SIMULATOR_HOLDING_H
#define TILEWRIGHT_GPU_SIMULATOR_HOLDING_H

#include "tileas/ir/Tileas.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <memory>

namespace tilewright::simulator {

/// Adjacent warps of a block. A group without warps holds nothing: a producer's of one thread.
struct WarpGroup {
  unsigned first = 0, count = 1;
  bool operator<(WarpGroup other) const { return std::tie(first, count) < std::tie(other.first, other.count); }
};

struct Holding {
  std::vector<uint32_t> elements;  // row-major numbers, ascending
  std::vector<int32_t> places;     // by element: where it is in `elements`, or -1
  std::vector<uint32_t> originals; // places of those that no lower thread holds
  bool holds(uint32_t element) const { return places[element] >= 0; }
  int64_t size() const { return elements.size(); }
};

/// Calls visit(element, isOriginal) for each register of each thread of a group; a tile without a layout is held by
/// all.
void forEachPlace(mlir::RankedTensorType tile, WarpGroup group, llvm::function_ref<void(uint32_t, bool)> visit);

class Holdings {
public:
  /// The same object for tiles with the same shape and layout.
  const Holding &of(mlir::RankedTensorType tile, WarpGroup group);

private:
  std::map<std::tuple<const void *, unsigned, unsigned>, std::unique_ptr<Holding>> known;
};

} // namespace tilewright::simulator

#endif
