// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/AccessQuality.h"
#include "layout/RandomLayouts.h"
#include "layout/memory/SharedLayouts.h"
#include "gtest/gtest.h"
#include <set>

using namespace tilewright::layout;

namespace {

// The sectors of a warp's first access, address by address.
unsigned countSectors(const LinearLayout &layout, const TileMemory &memory) {
  std::set<int64_t> sectors;
  auto registers = vectorRegisters(layout, memory);
  for (uint64_t lane = 0; lane < kLanes; ++lane)
    for (uint64_t i = 0; i < uint64_t(1) << registers.size(); ++i) {
      uint64_t reg = 0;
      for (unsigned bit = 0; bit < registers.size(); ++bit)
        reg |= (i >> bit & 1) << registers[bit];
      int64_t address = 0;
      auto element = layout.apply({{Dim::Register, reg}, {Dim::Lane, lane}});
      for (unsigned dim = 0; dim < element.size(); ++dim)
        address += element[dim] * *memory.dims[dim].stride * memory.elementBits / 8;
      sectors.insert(address / 32);
    }
  return sectors.size();
}

} // namespace

TEST(SharedAccess, knownConflicts) {
  auto lanes = [](llvm::ArrayRef<F2Vector> offsets) { return llvm::SmallVector<F2Vector>(offsets); };
  EXPECT_EQ(sharedWavefronts(lanes({4, 8, 16, 32, 64}), 4), 1u);
  EXPECT_EQ(sharedWavefronts(lanes({128, 256, 512, 1024, 2048}), 4), 32u);
  EXPECT_EQ(sharedWavefronts(lanes({16, 32, 64, 128, 256}), 16), 4u);
  EXPECT_EQ(sharedWavefronts(lanes({128, 256, 512, 16, 32}), 16), 32u);
  EXPECT_EQ(sharedWavefronts(lanes({128 + 16, 256 + 32, 512 + 64, 16, 32}), 16), 4u);
  EXPECT_EQ(sharedWavefronts(lanes({0, 0, 0, 0, 0}), 4), 1u);
  EXPECT_EQ(sharedWavefronts(lanes({2, 4, 8, 16, 32}), 2), 1u);
}

TEST(SharedAccess, algebraAgreesWithTheDefinition) {
  RandomLayouts random(11);
  for (unsigned round = 0; round < 2000; ++round) {
    unsigned width = 1u << random.below(5);
    // Offsets that are few, so that conflicts and copies are frequent; addresses are multiples of the width.
    llvm::SmallVector<F2Vector> offsets = random.vectors(5, 4 + random.below(9));
    for (F2Vector &offset : offsets)
      offset &= ~F2Vector(width - 1);
    llvm::SmallVector<uint64_t> addresses;
    for (F2Vector lane = 0; lane < kLanes; ++lane)
      addresses.push_back(F2Matrix(12, offsets).apply(lane));
    EXPECT_EQ(sharedWavefronts(offsets, width), countWavefronts(addresses, width));
  }
}

TEST(GlobalAccess, vectorWidth) {
  LinearLayout layout = blockedLayout({{1, 8}, {4, 8}, {4, 1}, {1, 0}}, {64, 64});
  auto width = [&](MemoryDim rows, MemoryDim columns, int64_t alignment, unsigned bits) {
    return vectorRegisters(layout, {{rows, columns}, alignment, bits}).size();
  };
  EXPECT_EQ(width({64}, {1}, 16, 16), 3u);
  EXPECT_EQ(width({64}, {1}, 16, 32), 2u);
  EXPECT_EQ(width({64}, {1}, 16, 8), 3u);
  EXPECT_EQ(width({64}, {1}, 4, 16), 1u);
  EXPECT_EQ(width({68}, {1}, 16, 16), 2u);
  EXPECT_EQ(width({67}, {1}, 16, 16), 0u);
  EXPECT_EQ(width({std::nullopt, 8}, {1}, 256, 16), 3u);
  EXPECT_EQ(width({std::nullopt, 2}, {1}, 256, 16), 1u);
  EXPECT_EQ(width({std::nullopt}, {1}, 256, 16), 0u);
  EXPECT_EQ(width({0}, {1}, 256, 16), 3u);
  EXPECT_EQ(width({1}, {64}, 16, 16), 0u);
  EXPECT_EQ(width({64}, {2}, 16, 16), 0u);
  // A lane that begins in the middle of what would be a vector.
  LinearLayout skewed({{Dim::Register, 2}, {Dim::Lane, 1}}, {{tileDim(0), 4}}, {1, 2, 4 + 2});
  EXPECT_EQ(vectorRegisters(skewed, {{{1}}, 16, 16}), (llvm::SmallVector<unsigned>{0}));
  // Registers in another order.
  LinearLayout turned({{Dim::Register, 2}, {Dim::Lane, 1}}, {{tileDim(0), 3}}, {2, 1, 4});
  EXPECT_EQ(vectorRegisters(turned, {{{1}}, 16, 16}), (llvm::SmallVector<unsigned>{1, 0}));
}

// Sixteen bytes of neighbours that begin anywhere: two loads in the place of four at least.
TEST(GlobalAccess, shiftedVectors) {
  LinearLayout layout = blockedLayout({{1, 8}, {4, 8}, {4, 1}, {1, 0}}, {64, 64});
  auto width = [&](MemoryDim rows, int64_t alignment, unsigned bits, uint64_t atOnce) {
    return shiftedRegisters(layout, {{rows, {1}}, alignment, bits}, atOnce).size();
  };
  EXPECT_EQ(width({67}, 2, 16, 1), 3u);
  EXPECT_EQ(width({std::nullopt}, 2, 16, 1), 3u);
  EXPECT_EQ(width({std::nullopt}, 4, 16, 2), 3u);
  EXPECT_EQ(width({std::nullopt}, 8, 16, 4), 0u); // as many loads
  EXPECT_EQ(width({67}, 1, 8, 1), 0u);            // the layout has 8 bytes beside each other
  EXPECT_EQ(width({67}, 4, 32, 1), 0u);           // elements of 4 bytes
}

TEST(GlobalAccess, sectorsAreThoseOfTheAddresses) {
  RandomLayouts random(12);
  for (unsigned round = 0; round < 300; ++round) {
    LinearLayout layout = random.distributed(3, 5, 1, 4, 5);
    unsigned bits = 8u << random.below(4);
    TileMemory memory{{{int64_t(32) << random.below(3)}, {1}}, 256, bits};
    EXPECT_EQ(sectorsPerRequest(layout, memory), countSectors(layout, memory)) << layout.str();
  }
}

TEST(GlobalAccess, chosenLayoutsAreCoalesced) {
  for (unsigned warps : {1, 2, 4, 8})
    for (unsigned bits : {8, 16, 32, 64})
      for (auto shape : {llvm::SmallVector<int64_t>{128, 64}, {64, 128}, {16, 16}, {1, 4096}, {256, 1}, {4, 4}})
        for (bool columns : {false, true}) {
          TileMemory memory{{{columns ? 1 : 4096}, {columns ? 4096 : 1}}, 16, bits};
          LinearLayout layout = blockedLayout(chooseBlocked(shape, memory, warps), shape);
          EXPECT_EQ(layout.shape(), shape);
          EXPECT_EQ(layout.inputSize(Dim::Lane), kLanes);
          EXPECT_EQ(layout.inputSize(Dim::Warp), warps);
          EXPECT_TRUE(layout.isSurjective());
          int64_t elements = shape[0] * shape[1], row = columns ? shape[0] : shape[1];
          if (elements >= int64_t(kLanes) * warps)
            EXPECT_TRUE(layout.isBijective());
          // Every sector touched is used whole, if a row has as much.
          unsigned vector = 1u << vectorRegisters(layout, memory).size();
          unsigned distinct = F2Space(layout.basisOf(Dim::Lane)).dimension();
          uint64_t bytes = (uint64_t(vector) << distinct) * bits / 8, rowBytes = row * bits / 8;
          EXPECT_EQ(sectorsPerRequest(layout, memory),
                    std::max<uint64_t>(1, rowBytes >= 32 ? bytes / 32 : bytes / rowBytes))
              << layout.str();
          // And threads with enough elements have 16 bytes at a time, as far as a row has.
          uint64_t perThread = std::max<int64_t>(1, elements / (int64_t(kLanes) * warps));
          EXPECT_EQ(vector, std::min<uint64_t>({perThread, 128 / bits, uint64_t(row)}));
        }
  // Without a contiguous dimension there is still a layout.
  TileMemory strided{{{7}, {3}}, 4, 32};
  EXPECT_EQ(chooseBlocked({32, 32}, strided, 4).order, (llvm::SmallVector<unsigned>{1, 0}));
}
