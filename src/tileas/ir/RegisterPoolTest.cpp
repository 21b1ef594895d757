// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/RegisterPool.h"

#include "gtest/gtest.h"

using namespace tilewright::tileas;

namespace {

using Registers = std::array<int32_t, 2>;

TEST(RegisterPool, ConsumersGetWhatAProducerOfOneThreadLeaves) {
  EXPECT_EQ(handOver(4, 4, 24), (Registers{0, 0})) << "248 a thread at launch";
  EXPECT_EQ(handOver(8, 4, 24), (Registers{240, 24}));
  EXPECT_EQ(handOver(12, 4, 24), (Registers{160, 24}));
  EXPECT_EQ(handOver(16, 4, 24), (Registers{112, 24}));
}

TEST(RegisterPool, AndWhatAGatheringOneLeaves) {
  EXPECT_EQ(handOver(4, 4, 72), (Registers{0, 0}));
  EXPECT_EQ(handOver(8, 4, 72), (Registers{216, 72}));
  EXPECT_EQ(handOver(12, 4, 72), (Registers{144, 72}));
  EXPECT_EQ(handOver(16, 4, 72), (Registers{96, 72}));
}

// Of blocks that share an SM.
TEST(RegisterPool, ConsumersGetWhatTheirBlockHas) {
  EXPECT_EQ(registersAtLaunch(8, 2), 128);
  EXPECT_EQ(registersAtLaunch(8, 3), 80);
  EXPECT_EQ(handOver(4, 4, 24, 2), (Registers{232, 24}));
  EXPECT_EQ(handOver(4, 4, 72, 2), (Registers{184, 72}));
  EXPECT_EQ(handOver(4, 4, 24, 3), (Registers{136, 24}));
  EXPECT_EQ(handOver(4, 4, 24, 4), (Registers{104, 24}));
  EXPECT_EQ(handOver(4, 4, 72, 4), (Registers{0, 0})) << "64 a thread at launch";
  EXPECT_EQ(handOver(8, 4, 24, 2), (Registers{104, 24}));
  EXPECT_EQ(registersForSums(4, 24, 1), 216);
  EXPECT_EQ(registersForSums(4, 24, 2), 208);
  EXPECT_EQ(registersForSums(8, 24, 2), 80);
  EXPECT_EQ(registersForSums(4, 72, 4), 40);
}

// A tile of 256x256 has 128 sums a thread of 16 warps, which is more than these have: instructions take 128 columns.
TEST(RegisterPool, SumsOfRunningProductsFitBesideTheRest) {
  EXPECT_EQ(registersForSums(4), 216);
  EXPECT_EQ(registersForSums(8), 136);
  EXPECT_EQ(registersForSums(16), 64);
}

// A request for more registers than the CTA was launched with waits forever.
TEST(RegisterPool, AgentsHaveNoMoreThanTheBlock) {
  EXPECT_EQ(registersAtLaunch(8), 248);
  EXPECT_EQ(registersAtLaunch(12), 168);
  EXPECT_EQ(registersAtLaunch(16), 128);
  EXPECT_EQ(registersAtLaunch(20), 96);
  EXPECT_EQ(registersAtLaunch(32), 64);
  for (int32_t consumers = 4; consumers <= 28; consumers += 4)
    for (int32_t kept = 24; kept <= 96; kept += 8)
      for (int32_t blocks = 1; blocks <= 4; ++blocks) {
        auto [more, fewer] = handOver(consumers, 4, kept, blocks);
        EXPECT_LE(consumers * more + 4 * fewer, (consumers + 4) * registersAtLaunch(consumers + 4, blocks))
            << consumers << " warps beside 4 of " << kept << ", " << blocks << " blocks";
      }
}

} // namespace
