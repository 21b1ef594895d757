// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of an access of a warp: wavefronts of shared memory (bank conflicts), vector width and sectors of global
// memory (coalescing).
#ifndef TILEWRIGHT_LAYOUT_MEMORY_ACCESSQUALITY_H
#define TILEWRIGHT_LAYOUT_MEMORY_ACCESSQUALITY_H

#include "layout/Distributed.h"

namespace tilewright::layout {

// Shared memory serves a warp's access of up to 4 bytes a lane at once, of 8 bytes in halves, of 16 in quarters. Each
// such part takes as many wavefronts as one bank has different words to give.
unsigned lanesPerWavefront(unsigned bytesPerLane);

// By that definition, from the byte address of each lane.
unsigned countWavefronts(llvm::ArrayRef<uint64_t> addresses, unsigned bytesPerLane);
// By algebra, from the byte offset of each lane bit: the words of a part are a span, and each bank that it meets has
// equally many.
unsigned sharedWavefronts(llvm::ArrayRef<F2Vector> laneOffsets, unsigned bytesPerLane, bool allLanesAtOnce = false);

// The known memory layout of a tile.
struct MemoryDim {
  std::optional<int64_t> stride; // in elements
  int64_t divisor = 1;           // of a stride that is not known
};
struct TileMemory {
  llvm::SmallVector<MemoryDim> dims;
  int64_t alignment; // of the tile's first element, in bytes
  unsigned elementBits;

  // The dimension whose elements lie one after another.
  std::optional<unsigned> contiguousDim() const;
  // How many elements along it every address that is a multiple of so many can be accessed at once, at most 16 bytes.
  uint64_t alignedElements(llvm::ArrayRef<int64_t> shape) const;
};

// The registers that one vector access covers: register bits that step by 1, 2, 4, ... along the contiguous dimension,
// as far as alignment allows. The width is 2^count elements.
llvm::SmallVector<unsigned> vectorRegisters(const LinearLayout &layout, const TileMemory &memory);

// Elements of one or two bytes that are not aligned are loaded 16 bytes at once as well: as both aligned vectors that
// have a part of them, shifted. Whether that is a gain where `atOnce` are loaded otherwise: it costs two loads, and
// about 25 instructions that shift and mask words.
bool gainsByShifts(const TileMemory &memory, uint64_t atOnce);

// The registers of such a load; none where a thread has no 16 bytes beside each other, or it is no gain.
llvm::SmallVector<unsigned> shiftedRegisters(const LinearLayout &layout, const TileMemory &memory, uint64_t atOnce);

// The same memory as such loads find it.
TileMemory asAligned(const TileMemory &memory);

// The 32-byte sectors that one access of a warp touches, where rows and the tile begin at a sector. The least possible
// is the bytes of the access over 32.
unsigned sectorsPerRequest(const LinearLayout &layout, const TileMemory &memory);

// The blocked layout with which so many warps load or store a tile: vectors as wide as alignment allows and threads
// suffice, lanes along the contiguous dimension first.
Blocked chooseBlocked(llvm::ArrayRef<int64_t> shape, const TileMemory &memory, unsigned warps);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MEMORY_ACCESSQUALITY_H
