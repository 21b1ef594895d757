// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/TensorMemory.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

using Cell = llvm::SmallVector<int64_t>;

static Cell cell(const LinearLayout &layout, uint64_t reg, uint64_t lane, uint64_t warp = 0) {
  return layout.apply({{Dim::Register, reg}, {Dim::Lane, lane}, {Dim::Warp, warp}});
}

// PTX ISA 9.7.16.2.3.1
TEST(TensorMemory, accesses) {
  LinearLayout l32 = tensorMemoryAccess(TensorMemoryShape::L32x32b, 8);
  LinearLayout l64 = tensorMemoryAccess(TensorMemoryShape::L16x64b, 8);
  LinearLayout l128 = tensorMemoryAccess(TensorMemoryShape::L16x128b, 4);
  LinearLayout l256 = tensorMemoryAccess(TensorMemoryShape::L16x256b, 2);
  for (const LinearLayout *layout : {&l32, &l64, &l128, &l256}) {
    EXPECT_EQ(layout->inputSize(Dim::Register), 8u);
    EXPECT_TRUE(layout->isBijective());
  }
  EXPECT_EQ(l32.shape(), (Cell{32, 8}));
  EXPECT_EQ(l64.shape(), (Cell{16, 16}));
  EXPECT_EQ(l128.shape(), (Cell{16, 16}));
  EXPECT_EQ(l256.shape(), (Cell{16, 16}));
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t r = 0; r < 8; ++r) {
      EXPECT_EQ(cell(l32, r, lane), (Cell{lane, r}));
      EXPECT_EQ(cell(l64, r, lane), (Cell{lane / 4 + lane % 2 * 8, lane / 2 % 2 + r * 2}));
      EXPECT_EQ(cell(l128, r, lane), (Cell{lane / 4 + r % 2 * 8, lane % 4 + r / 2 * 4}));
      EXPECT_EQ(cell(l256, r, lane), (Cell{lane / 4 + r / 2 % 2 * 8, lane % 4 * 2 + r % 2 + r / 4 * 8}));
    }
}

TEST(TensorMemory, aWarpReachesItsQuarter) {
  for (auto shape : {TensorMemoryShape::L32x32b, TensorMemoryShape::L16x64b, TensorMemoryShape::L16x128b,
                     TensorMemoryShape::L16x256b}) {
    LinearLayout layout = tensorMemoryAccessOfWarpgroup(shape, 4);
    EXPECT_TRUE(layout.isBijective());
    for (uint64_t warp = 0; warp < 4; ++warp)
      for (uint64_t lane = 0; lane < 32; ++lane)
        for (uint64_t r = 0; r < layout.inputSize(Dim::Register); ++r)
          EXPECT_EQ(cell(layout, r, lane, warp)[0] / 32, int64_t(warp));
  }
}

TEST(TensorMemory, accumulators) {
  auto at = [](const LinearLayout &layout, uint64_t row, uint64_t column) {
    return layout.apply({{Dim::Row, row}, {Dim::Column, column}});
  };
  LinearLayout full = tensorMemoryAccumulator(128, 256), half = tensorMemoryAccumulator(64, 32);
  EXPECT_EQ(at(full, 77, 200), (Cell{77, 200}));
  for (uint64_t m = 0; m < 64; ++m)
    EXPECT_EQ(at(half, m / 16 * 32 + m % 16, 5), (Cell{int64_t(m), 5}));
  EXPECT_EQ(half.freeBits(Dim::Row), 16u);
  EXPECT_EQ(tensorMemoryAccumulator(256, 64).apply({{Dim::Row, 3}, {Dim::Column, 4}, {Dim::Block, 1}}), (Cell{131, 4}));
  // The most common load of an accumulator by a warpgroup: a row per thread.
  LinearLayout loaded = tensorMemoryAccessOfWarpgroup(TensorMemoryShape::L32x32b, 64).then(full);
  EXPECT_EQ(loaded.apply({{Dim::Register, 9}, {Dim::Lane, 3}, {Dim::Warp, 2}}), (Cell{67, 9}));
}

// 128 rows beside 128 rows, and who loads what of it by its rows and columns.
TEST(TensorMemory, tiles) {
  auto element = [](const LinearLayout &tile, uint64_t row, uint64_t column) {
    return tile.apply({{Dim::Row, row}, {Dim::Column, column}});
  };
  EXPECT_EQ(element(tensorMemoryTile(128, 64), 77, 33), (Cell{77, 33}));
  EXPECT_EQ(element(tensorMemoryTile(256, 64), 77, 33), (Cell{77, 33}));
  EXPECT_EQ(element(tensorMemoryTile(256, 64), 77, 64 + 33), (Cell{128 + 77, 33}));
  EXPECT_EQ(element(tensorMemoryTile(64, 64), 2 * 32 + 5, 33), (Cell{2 * 16 + 5, 33}));
  for (int64_t m : {64, 128, 256})
    for (int64_t warpgroups : {1, 2}) {
      LinearLayout tile = tensorMemoryTile(m, 64), places = tensorMemoryPlaces(tile, warpgroups);
      LinearLayout registers = tensorMemoryRegisters(tile, warpgroups);
      EXPECT_TRUE(registers.isBijective()) << m << " rows, " << warpgroups << " warpgroups";
      for (uint64_t warp = 0; warp < uint64_t(4 * warpgroups); ++warp)
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (uint64_t r = 0; r < registers.inputSize(Dim::Register); ++r) {
            Cell place = cell(places, r, lane, warp);
            EXPECT_EQ(place[0] / 32, int64_t(warp % 4)); // a warp reaches its quarter
            EXPECT_EQ(cell(registers, r, lane, warp), element(tile, place[0], place[1]));
          }
    }
}
