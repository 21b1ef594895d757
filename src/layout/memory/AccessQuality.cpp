// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/AccessQuality.h"
#include "layout/memory/SharedLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <set>

using namespace llvm;

namespace tilewright::layout {

constexpr unsigned kSectorBytes = 32, kVectorBytes = 16;

unsigned lanesPerWavefront(unsigned bytesPerLane) {
  assert(isPowerOf2_32(bytesPerLane) && bytesPerLane <= kVectorBytes);
  return std::min(kLanes, kBankSpan / bytesPerLane);
}

unsigned countWavefronts(ArrayRef<uint64_t> addresses, unsigned bytesPerLane) {
  unsigned total = 0, part = lanesPerWavefront(bytesPerLane);
  for (unsigned first = 0; first < addresses.size(); first += part) {
    std::array<std::set<uint64_t>, kBanks> wordsOf;
    for (uint64_t address : addresses.slice(first, std::min<size_t>(part, addresses.size() - first)))
      for (unsigned byte = 0; byte < bytesPerLane; ++byte) {
        uint64_t word = (address + byte) / kBankBytes;
        wordsOf[word % kBanks].insert(word);
      }
    size_t most = 0;
    for (const std::set<uint64_t> &words : wordsOf)
      most = std::max(most, words.size());
    total += most;
  }
  return total;
}

unsigned sharedWavefronts(ArrayRef<F2Vector> laneOffsets, unsigned bytesPerLane, bool allLanesAtOnce) {
  unsigned laneBits = laneOffsets.size();
  unsigned atOnce = allLanesAtOnce ? laneBits : std::min(laneBits, Log2_32(lanesPerWavefront(bytesPerLane)));
  F2Space words, banks;
  auto insert = [&](uint64_t byteOffset) {
    words.insert(byteOffset / kBankBytes);
    banks.insert(byteOffset / kBankBytes % kBanks);
  };
  for (unsigned byte = kBankBytes; byte < bytesPerLane; byte *= 2)
    insert(byte);
  for (F2Vector offset : laneOffsets.take_front(atOnce))
    insert(offset);
  return 1u << (laneBits - atOnce + words.dimension() - banks.dimension());
}

std::optional<unsigned> TileMemory::contiguousDim() const {
  for (auto [index, dim] : enumerate(dims))
    if (dim.stride == 1)
      return index;
  return std::nullopt;
}

static int64_t powerOfTwoIn(int64_t value) {
  return value == 0 ? int64_t(1) << 40 : value & -value;
}

uint64_t TileMemory::alignedElements(ArrayRef<int64_t> shape) const {
  std::optional<unsigned> contiguous = contiguousDim();
  if (!contiguous)
    return 1;
  // Addresses of vectors are the tile's plus sums of strides.
  int64_t bits = std::min<int64_t>(powerOfTwoIn(alignment), kVectorBytes) * 8;
  for (auto [index, dim] : enumerate(dims))
    if (index != *contiguous && shape[index] > 1)
      bits = std::min<int64_t>(bits, powerOfTwoIn(dim.stride.value_or(dim.divisor)) * elementBits);
  return std::max<uint64_t>(1, std::min<uint64_t>(bits / elementBits, shape[*contiguous]));
}

SmallVector<unsigned> vectorRegisters(const LinearLayout &layout, const TileMemory &memory) {
  SmallVector<unsigned> registers;
  std::optional<unsigned> contiguous = memory.contiguousDim();
  if (!contiguous)
    return registers;
  uint64_t most = memory.alignedElements(layout.shape());
  ArrayRef<F2Vector> basis = layout.basisOf(Dim::Register);
  for (uint64_t step = 1; step < most; step *= 2) {
    const F2Vector *found = llvm::find(basis, layout.outputAt(tileDim(*contiguous), step));
    if (found == basis.end())
      break;
    registers.push_back(found - basis.begin());
  }
  // A vector may begin where a lane or another register says: only at multiples of its width.
  uint64_t width = uint64_t(1) << registers.size();
  for (DimSize in : layout.inputs())
    for (auto [bit, vector] : enumerate(layout.basisOf(in.dim))) {
      if (in.dim == Dim::Register && is_contained(registers, bit))
        continue;
      uint64_t at = layout.coordinate(vector, tileDim(*contiguous));
      while (at & (width - 1))
        width /= 2;
    }
  registers.truncate(Log2_64(width));
  return registers;
}

TileMemory asAligned(const TileMemory &memory) {
  TileMemory aligned = memory;
  aligned.alignment = kVectorBytes;
  for (MemoryDim &dim : aligned.dims) {
    if (dim.stride && *dim.stride != 0 && *dim.stride != 1)
      dim.stride.reset(); // it may be odd
    dim.divisor = std::max<int64_t>(dim.divisor, kVectorBytes);
  }
  return aligned;
}

bool gainsByShifts(const TileMemory &memory, uint64_t atOnce) {
  constexpr unsigned widestElement = 16, gain = 4;
  return memory.elementBits <= widestElement && gain * atOnce * memory.elementBits <= kVectorBytes * 8;
}

SmallVector<unsigned> shiftedRegisters(const LinearLayout &layout, const TileMemory &memory, uint64_t atOnce) {
  if (!gainsByShifts(memory, atOnce))
    return {};
  SmallVector<unsigned> registers = vectorRegisters(layout, asAligned(memory));
  bool isWhole = memory.elementBits << registers.size() == kVectorBytes * 8;
  return isWhole ? registers : SmallVector<unsigned>();
}

unsigned sectorsPerRequest(const LinearLayout &layout, const TileMemory &memory) {
  std::optional<unsigned> contiguous = memory.contiguousDim();
  uint64_t perSector = std::max(1u, kSectorBytes * 8 / memory.elementBits);
  // Which sector an element lies in: its coordinates without the lowest of the contiguous one.
  auto sectorOf = [&](F2Vector element) {
    if (!contiguous)
      return element;
    uint64_t low = layout.coordinate(element, tileDim(*contiguous)) & (perSector - 1);
    return element ^ layout.outputAt(tileDim(*contiguous), low);
  };
  F2Space sectors;
  for (unsigned reg : vectorRegisters(layout, memory))
    sectors.insert(sectorOf(layout.basisOf(Dim::Register)[reg]));
  for (F2Vector vector : layout.basisOf(Dim::Lane))
    sectors.insert(sectorOf(vector));
  return 1u << sectors.dimension();
}

Blocked chooseBlocked(ArrayRef<int64_t> shape, const TileMemory &memory, unsigned warps) {
  unsigned rank = shape.size();
  Blocked blocked{SmallVector<int64_t>(rank, 1), SmallVector<int64_t>(rank, 1), SmallVector<int64_t>(rank, 1),
                  rowMajorOrder(rank)};
  // The nearest in memory first; strides that are not known are far, and copies (stride zero) farther.
  auto distance = [&](unsigned dim) {
    int64_t stride = memory.dims[dim].stride.value_or(std::numeric_limits<int64_t>::max() - 1);
    return stride == 0 ? std::numeric_limits<int64_t>::max() : std::abs(stride);
  };
  llvm::sort(blocked.order,
             [&](unsigned a, unsigned b) { return distance(a) != distance(b) ? distance(a) < distance(b) : a > b; });
  if (rank == 0)
    return blocked;

  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  SmallVector<int64_t> left(shape);
  auto take = [&](int64_t &part, unsigned dim, int64_t most) {
    int64_t taken = std::min(left[dim], most);
    part *= taken;
    left[dim] /= taken;
    return most / taken;
  };
  unsigned fastest = blocked.order.front();
  int64_t perThread = std::max<int64_t>(1, elements / (int64_t(kLanes) * warps));
  take(blocked.elements[fastest], fastest, std::min<int64_t>(perThread, memory.alignedElements(shape)));
  int64_t lanes = kLanes, restWarps = warps;
  for (unsigned dim : blocked.order)
    lanes = take(blocked.lanes[dim], dim, lanes);
  for (unsigned dim : blocked.order)
    restWarps = take(blocked.warps[dim], dim, restWarps);
  // More threads than elements: the others hold copies.
  blocked.lanes[blocked.order.back()] *= lanes;
  blocked.warps[blocked.order.back()] *= restWarps;
  return blocked;
}

} // namespace tilewright::layout
