// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/MatrixDescriptor.h"
#include "layout/Distributed.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

namespace {

// Where the hardware reads element (mn, k) of an instruction's operand, from the start address: the canonical layouts
// of CUTLASS's documentation, in bytes, before the address is swizzled.
uint64_t hardwareAddress(const MatrixDescriptor &d, uint64_t start, uint64_t mn, uint64_t k, unsigned bits) {
  uint64_t bytes = bits / 8, unit = 16 / bytes, span = spanOf(d.mode), address;
  if (d.major == Major::K) {
    uint64_t column = k / unit * (d.mode == SwizzleMode::None ? d.leading : 16);
    address = mn / 8 * d.stride + mn % 8 * span + column + k % unit * bytes;
  } else {
    uint64_t perSpan = span / bytes;
    uint64_t spans = d.mode == SwizzleMode::None ? d.stride : d.leading;
    uint64_t rows = d.mode == SwizzleMode::None ? d.leading : d.stride;
    address = mn / perSpan * spans + mn % perSpan * bytes + k % 8 * span + k / 8 * rows;
  }
  address += start;
  return address ^ (address >> 7 & (span / 16 - 1)) << 4;
}

// The descriptor exists, and each instruction that the tile consists of reads the right elements.
void expectReads(const LinearLayout &shared, unsigned bits, OperandBox box, Major major, SwizzleMode mode,
                 uint32_t leading, uint32_t stride) {
  std::optional<MatrixDescriptor> d = describeOperand(shared, bits, box);
  ASSERT_TRUE(d);
  EXPECT_EQ(d->major, major);
  EXPECT_EQ(d->mode, mode);
  EXPECT_EQ(d->leading, leading);
  EXPECT_EQ(d->stride, stride);
  LinearLayout offsets = shared.inverse();
  for (uint64_t mn = 0; mn < offsets.inputSize(tileDim(0)); mn += box.mn)
    for (uint64_t k = 0; k < offsets.inputSize(tileDim(1)); k += box.k) {
      uint64_t start = d->start.applyFlat({{tileDim(0), mn}, {tileDim(1), k}});
      for (uint64_t i = 0; i < uint64_t(box.mn); ++i)
        for (uint64_t j = 0; j < uint64_t(box.k); ++j)
          ASSERT_EQ(hardwareAddress(*d, start, i, j, bits),
                    offsets.applyFlat({{tileDim(0), mn + i}, {tileDim(1), k + j}}) * bits / 8);
    }
}

} // namespace

// The figures of a measured Hopper GEMM in bf16: a tile of 128 x 64, K major; B of 64 x 256 in N-major boxes.
TEST(MatrixDescriptor, measuredForms) {
  LinearLayout a = tmaTile({128, 64}, {1, 0}, SwizzleMode::B128, 16);
  expectReads(a, 16, {64, 16}, Major::K, SwizzleMode::B128, 0, 1024);
  std::optional<MatrixDescriptor> d = describeOperand(a, 16, {64, 16});
  EXPECT_EQ(d->start.applyFlat({{tileDim(1), 16}}), 32u); // +32 bytes for the next k16

  LinearLayout b = tmaTile({64, 256}, {1, 0}, SwizzleMode::B128, 16).permute({1, 0});
  expectReads(b, 16, {256, 16}, Major::MN, SwizzleMode::B128, 8192, 1024);
  d = describeOperand(b, 16, {256, 16});
  EXPECT_EQ(d->start.applyFlat({{tileDim(1), 16}}), 2048u);
  EXPECT_EQ(encodeForWgmma(*d, 0x1000400), uint64_t(0x400 >> 4) | 512ull << 16 | 64ull << 32 | 1ull << 62);
  EXPECT_EQ(encodeForTcgen05(*d, 0x1000400),
            uint64_t(0x400 >> 4) | 512ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61);
  uint64_t mode = 0;
  for (SwizzleMode swizzle : {SwizzleMode::None, SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128}) {
    d->mode = swizzle;
    EXPECT_EQ(encodeForWgmma(*d, 0) >> 62, (4 - mode) % 4);
    EXPECT_EQ(encodeForTcgen05(*d, 0) >> 61, (4 - mode) % 4 * 2);
    ++mode;
  }
}

TEST(MatrixDescriptor, everyModeAndWidth) {
  for (unsigned bits : {8, 16, 32})
    for (SwizzleMode mode : {SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128}) {
      int64_t k = 256 / bits, span = spanOf(mode) * 8 / bits;
      // K major: one or several spans of k.
      for (int64_t spans : {1, 2})
        expectReads(tmaTile({64, span * spans}, {1, 0}, mode, bits), bits, {64, k}, Major::K, mode, 0,
                    spanOf(mode) * 8);
      // MN major: k by mn in memory.
      expectReads(tmaTile({2 * k, 2 * span}, {1, 0}, mode, bits).permute({1, 0}), bits, {2 * span, k}, Major::MN, mode,
                  spanOf(mode) * 2 * k, k == 8 ? 0 : spanOf(mode) * 8);
    }
  // No swizzle: core matrices of 8 x 16 bytes, one after another along rows, then along k, and the other way around.
  auto core = [](unsigned order) {
    LinearLayout matrix =
        LinearLayout::identity(8, Dim::Offset, tileDim(1)) * LinearLayout::identity(8, Dim::Offset, tileDim(0));
    LinearLayout rows = LinearLayout::identity(8, Dim::Offset, tileDim(0)),
                 columns = LinearLayout::identity(4, Dim::Offset, tileDim(1));
    return order ? matrix * columns * rows : matrix * rows * columns;
  };
  expectReads(core(0), 16, {64, 16}, Major::K, SwizzleMode::None, 1024, 128);
  expectReads(core(1), 16, {64, 16}, Major::K, SwizzleMode::None, 128, 512);
  expectReads(core(1).permute({1, 0}), 16, {32, 16}, Major::MN, SwizzleMode::None, 512, 128);
}

TEST(MatrixDescriptor, refusesOthers) {
  // Rows of 256 bytes: nothing the hardware knows steps so.
  EXPECT_FALSE(describeOperand(plainShared({64, 128}, {1, 0}), 16, {64, 16}));
  // A swizzle by other bits.
  EXPECT_FALSE(describeOperand(swizzledShared({64, 64}, {1, 0}, {8, 2, 4}), 16, {64, 16}));
  // The tile is smaller than the instruction.
  EXPECT_FALSE(describeOperand(tmaTile({32, 64}, {1, 0}, SwizzleMode::B128, 16), 16, {64, 16}));
  // But the swizzle by groups of 8 halves in rows of 64 is the mode of 128 bytes.
  EXPECT_EQ(swizzledShared({64, 64}, {1, 0}, {8, 1, 8}), tmaTile({64, 64}, {1, 0}, SwizzleMode::B128, 16));
}
