// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/SharedLayouts.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

static const SwizzleMode kModes[] = {SwizzleMode::None, SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128};

// The inverse of a layout: the offset of an element.
static uint64_t offsetOf(const LinearLayout &offsets, uint64_t row, uint64_t column) {
  return offsets.applyFlat({{tileDim(0), row}, {tileDim(1), column}});
}

TEST(SharedLayouts, plain) {
  LinearLayout rows = plainShared({8, 16}, {1, 0}).inverse(), columns = plainShared({8, 16}, {0, 1}).inverse();
  for (uint64_t row = 0; row < 8; ++row)
    for (uint64_t column = 0; column < 16; ++column) {
      EXPECT_EQ(offsetOf(rows, row, column), row * 16 + column);
      EXPECT_EQ(offsetOf(columns, row, column), column * 8 + row);
    }
}

TEST(SharedLayouts, xorSwizzle) {
  for (XorSwizzle swizzle : {XorSwizzle{8, 1, 8}, {8, 2, 4}, {4, 1, 4}, {1, 1, 16}, {8, 1, 1}}) {
    LinearLayout shared = swizzledShared({32, 64}, {1, 0}, swizzle).inverse(),
                 turned = swizzledShared({64, 32}, {0, 1}, swizzle).inverse();
    for (uint64_t row = 0; row < 32; ++row)
      for (uint64_t column = 0; column < 64; ++column) {
        uint64_t phase = row / swizzle.perPhase % swizzle.maxPhase;
        uint64_t expected = row * 64 + ((column / swizzle.vector ^ phase) * swizzle.vector + column % swizzle.vector);
        EXPECT_EQ(offsetOf(shared, row, column), expected);
        EXPECT_EQ(offsetOf(turned, column, row), expected);
      }
  }
  // Fewer rows than phases.
  EXPECT_TRUE(swizzledShared({2, 64}, {1, 0}, {8, 1, 8}).isBijective());
}

// The address bits above 7 are added to those above 4, as by Swizzle<3,4,3> and similar ones.
TEST(SharedLayouts, addressSwizzle) {
  for (SwizzleMode mode : kModes) {
    LinearLayout swizzle = addressSwizzle(mode, 4096);
    uint64_t mask = spanOf(mode) / 16 - 1;
    for (uint64_t address = 0; address < 4096; ++address)
      EXPECT_EQ(swizzle.applyFlat(address), address ^ (address >> 7 & mask) << 4);
    EXPECT_EQ(swizzle.then(swizzle), addressSwizzle(SwizzleMode::None, 4096));
  }
}

TEST(SharedLayouts, tma) {
  for (SwizzleMode mode : kModes)
    for (unsigned bits : {8, 16, 32}) {
      uint64_t bytes = bits / 8, row = mode == SwizzleMode::None ? 64 : spanOf(mode) / bytes;
      uint64_t mask = spanOf(mode) / 16 - 1;
      LinearLayout tile = tmaTile({64, 128}, {1, 0}, mode, bits).inverse();
      if (mode == SwizzleMode::None)
        row = 128;
      for (uint64_t i = 0; i < 64; ++i)
        for (uint64_t j = 0; j < 128; ++j) {
          // The box, then the place in it.
          uint64_t address = (j / row * 64 * row + i * row + j % row) * bytes;
          EXPECT_EQ(offsetOf(tile, i, j) * bytes, address ^ (address >> 7 & mask) << 4);
        }
    }
  EXPECT_EQ(tmaBoxShape({64, 128}, {1, 0}, SwizzleMode::B128, 16), (llvm::SmallVector<int64_t>{64, 64}));
  EXPECT_EQ(tmaBoxShape({64, 128}, {0, 1}, SwizzleMode::B64, 16), (llvm::SmallVector<int64_t>{32, 128}));
}
TEST(SharedLayouts, boxesOfOneRowContinueTheSwizzle) {
  // 8 boxes of 128 bytes: the hardware looks at addresses, so box b has its units of 16 bytes at b ^ unit.
  LinearLayout tile = tmaTile({1, 256}, {1, 0}, SwizzleMode::B128, 32).inverse();
  for (unsigned column = 0; column < 256; ++column) {
    unsigned box = column / 32, unit = column / 4 % 8;
    EXPECT_EQ(tile.applyFlat({{tileDim(1), column}}), box * 32 + (unit ^ box) * 4 + column % 4);
  }
}
