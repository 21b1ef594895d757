// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/BlockShares.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace tilewright;

namespace {

std::vector<std::pair<int64_t, int64_t>> runs(BlockShares &shares, int64_t own, int64_t most = 1 << 20) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (; most; --most) {
    BlockRange run = shares.claim(own);
    if (run.empty())
      break;
    result.push_back({run.first, run.last});
  }
  return result;
}

using Runs = std::vector<std::pair<int64_t, int64_t>>;

TEST(BlockShares, OwnShareFirstThenTheLowest) {
  BlockShares shares(24, 3, 1);
  EXPECT_EQ(runs(shares, 1, 2), (Runs{{8, 12}, {12, 14}}));
  EXPECT_EQ(runs(shares, 2, 4), (Runs{{16, 20}, {20, 22}, {22, 23}, {23, 24}}));
  EXPECT_EQ(runs(shares, 2, 2), (Runs{{0, 4}, {4, 6}}));
  EXPECT_EQ(runs(shares, 1), (Runs{{14, 15}, {15, 16}, {6, 7}, {7, 8}}));
}

TEST(BlockShares, RunsAreNotShorterThanAskedFor) {
  BlockShares shares(20, 2, 4);
  EXPECT_EQ(runs(shares, 0), (Runs{{0, 5}, {5, 9}, {9, 10}, {10, 15}, {15, 19}, {19, 20}}));
}

TEST(BlockShares, AThreadWithoutShareHasTheLowest) {
  BlockShares shares(5, 2, 1);
  EXPECT_EQ(runs(shares, 7), (Runs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
}

// Threads come in any order, some not at all, and a block ends only after all below it.
TEST(BlockShares, BlocksMayWaitForLowerOnes) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    int64_t threads = 1 + random() % 6, blocks = 1 + random() % 60;
    BlockShares shares(blocks, std::min(threads, blocks), 1 + random() % 4);
    std::vector<int64_t> present;
    for (int64_t thread = 0; thread < threads; ++thread)
      if (random() % 2)
        present.push_back(thread);
    std::shuffle(present.begin(), present.end(), random);
    if (present.empty())
      present.push_back(threads);
    present.front() = 0;
    std::vector<BlockRange> running(present.size(), BlockRange{0, 0});
    int64_t done = 0;
    for (bool moves = true; moves;) {
      moves = false;
      for (size_t i : {random() % present.size(), size_t(0)})
        for (size_t k = 0; k < present.size(); ++k, i = (i + 1) % present.size()) {
          BlockRange &run = running[i];
          if (run.empty())
            run = shares.claim(present[i]);
          for (; !run.empty() && run.first == done; ++run.first, ++done)
            moves = true;
        }
    }
    ASSERT_EQ(done, blocks);
  }
}

} // namespace
