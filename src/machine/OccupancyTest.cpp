// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Occupancy.h"
#include "gtest/gtest.h"

using namespace tilewright::nvidia;

namespace {

Occupancy of(const char *name, BlockNeeds needs) {
  return computeOccupancy(needs, *llvm::cantFail(parseArchitecture(name)));
}

} // namespace

// As CUDA's occupancy calculator says.
TEST(Occupancy, everyResourceLimits) {
  Occupancy full = of("sm_90", {1024, 32, 0});
  EXPECT_EQ(full.blocks, 2u);
  EXPECT_EQ(full.warps, 64u);
  EXPECT_EQ(full.limit, "warps");
  Occupancy registers = of("sm_90", {128, 255, 0});
  EXPECT_EQ(registers.blocks, 2u); // 65536 / (256 * 32) = 8 warps
  EXPECT_EQ(registers.limit, "registers");
  EXPECT_EQ(of("sm_90", {128, 168, 0}).blocks, 3u); // 12 warps of 5376 registers
  Occupancy shared = of("sm_90", {128, 32, 100 << 10});
  EXPECT_EQ(shared.blocks, 2u);
  EXPECT_EQ(shared.limit, "shared memory");
  Occupancy blocks = of("sm_90", {32, 16, 0});
  EXPECT_EQ(blocks.blocks, 32u);
  EXPECT_EQ(blocks.limit, "blocks");
  EXPECT_EQ(of("sm_86", {32, 16, 0}).blocks, 16u);
}

TEST(Occupancy, noneFits) {
  EXPECT_EQ(of("sm_120", {128, 32, 200 << 10}).blocks, 0u);
  EXPECT_EQ(of("sm_120", {128, 32, 200 << 10}).limit, "shared memory");
  EXPECT_EQ(of("sm_90", {1024, 128, 0}).blocks, 0u);
  EXPECT_EQ(of("sm_90", {1024, 128, 0}).limit, "registers");
}

// A block may use all that an SM gives to one.
TEST(Occupancy, theLargestBlockFits) {
  for (const Architecture &architecture : knownArchitectures()) {
    EXPECT_EQ(computeOccupancy({128, 32, architecture.sharedBytesPerBlock()}, architecture).blocks, 1u);
    EXPECT_EQ(computeOccupancy({1024, 64, 0}, architecture).blocks, 1u);
  }
}
