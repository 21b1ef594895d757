// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts that spread a tile over the threads of a block: the parts they are made of, and blocked ones, which every
// elementwise operation and every coalesced access uses.
#ifndef TILEWRIGHT_LAYOUT_DISTRIBUTED_H
#define TILEWRIGHT_LAYOUT_DISTRIBUTED_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

constexpr unsigned kLanes = 32; // of a warp

// The inputs that name a place of a distributed layout.
inline constexpr Dim kDistributed[] = {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block};

// The tile's dimensions, the last first: row major.
llvm::SmallVector<unsigned> rowMajorOrder(unsigned rank);

// `in` counts through a box of a tile, the dimensions in `order`, fastest first.
LinearLayout grid(Dim in, llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<unsigned> order);

// A layout of a smaller or larger tile made to have this shape. Where the tile is larger, the layout repeats over it in
// new registers, in `order`; where it is smaller, the layout wraps: several places hold the same element.
LinearLayout fitToShape(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order);

// Each thread holds a box of elements, each warp a box of threads, each block a box of warps; then fitToShape.
struct Blocked {
  llvm::SmallVector<int64_t> elements; // of a thread, by dimension
  llvm::SmallVector<int64_t> lanes;    // 32 in all
  llvm::SmallVector<int64_t> warps;
  llvm::SmallVector<unsigned> order; // fastest first
};
LinearLayout blockedLayout(const Blocked &blocked, llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_DISTRIBUTED_H
