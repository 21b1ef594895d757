// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory of sm_100: 128 rows (the ISA's lanes) of 512 columns of 32 bits, and how its loads and stores spread
// it over registers. PTX ISA 9.7.16.2.
#ifndef TILEWRIGHT_LAYOUT_MEMORY_TENSORMEMORY_H
#define TILEWRIGHT_LAYOUT_MEMORY_TENSORMEMORY_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

// tcgen05.ld and .st by shape: rows x bits of one repetition.
enum class TensorMemoryShape { L32x32b, L16x64b, L16x128b, L16x256b };

// Where the registers (of 32 bits) and lanes of a warp's access with .xN find their data, relative to its address:
// Register, Lane -> Row, Column. PTX ISA 9.7.16.2.3.1.
LinearLayout tensorMemoryAccess(TensorMemoryShape shape, unsigned repeats);

// The same by a warpgroup: warp i can reach rows 32i to 32i + 31 only. The shapes of 16 rows need two accesses for all
// rows; the first is of rows 0 to 15 of the 32, the second comes as the highest register bit.
LinearLayout tensorMemoryAccessOfWarpgroup(TensorMemoryShape shape, unsigned repeats);

// Which element of an m x n accumulator of 32 bits a cell holds: Row, Column -> D0, D1. With m = 128 a row each; with
// m = 64 the lower 16 rows of each warp's 32 (PTX ISA 9.7.16.10.5, layouts D and F); with m = 256 each block of a pair
// has 128.
LinearLayout tensorMemoryAccumulator(int64_t m, int64_t n);

// The tile m x n, of elements of 32 bits, in the memory of one block: Row, Column -> D0, D1. As the accumulators of
// tcgen05.mma, one of 128 rows beside the other; m is 64 or a multiple of 128.
LinearLayout tensorMemoryTile(int64_t m, int64_t n);

// Warpgroups that share its columns load it by the shape that suits it, 32x32b, or of m = 64 16x256b. Where they find
// what (Register, Lane, Warp -> Row, Column), and what they have then (-> D0, D1).
TensorMemoryShape tensorMemoryShapeFor(const LinearLayout &tile);
LinearLayout tensorMemoryPlaces(const LinearLayout &tile, int64_t warpgroups);
LinearLayout tensorMemoryRegisters(const LinearLayout &tile, int64_t warpgroups);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MEMORY_TENSORMEMORY_H
