// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/Clock.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <vector>

using namespace tilewright::interpreter;

TEST(Clock, saysWhatIsInThePast) {
  Clock start;
  EXPECT_FALSE(start.includes({0, 1}));
  Clock store = start.with({0, 1});
  Clock first = store.with({0, 2}), second = store.with({1, 1});
  EXPECT_TRUE(second.includes({0, 1}));
  EXPECT_FALSE(second.includes({0, 2}));
  Clock both = first.joined(second);
  EXPECT_TRUE(both.includes({0, 2}));
  EXPECT_TRUE(both.includes({1, 1}));
  EXPECT_FALSE(both.includes({1, 2}));
  EXPECT_EQ(both.of(7), 0u);
}

TEST(Clock, keepsTheLaterPosition) {
  Clock clock = Clock().with({5, 9}).with({5, 3});
  EXPECT_EQ(clock.of(5), 9u);
  EXPECT_EQ(Clock().with({5, 3}).joined(clock).of(5), 9u);
  EXPECT_EQ(clock.joined(Clock()).of(5), 9u);
  EXPECT_EQ(Clock().joined(clock).of(5), 9u);
}

// Chains of all sizes, with the highest bit too, against a map.
TEST(Clock, agreesWithMapsOnRandomOperations) {
  std::mt19937 random(11);
  auto pick = [&](uint32_t low, uint32_t high) { return std::uniform_int_distribution<uint32_t>(low, high)(random); };
  std::vector<Clock> clocks(1);
  std::vector<std::map<uint32_t, uint32_t>> expected(1);
  std::vector<uint32_t> chains = {0, 1, 2, 3, 4, 7, 8, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
  for (int step = 0; step < 3000; ++step) {
    size_t a = pick(0, clocks.size() - 1), b = pick(0, clocks.size() - 1);
    Clock clock;
    std::map<uint32_t, uint32_t> model = expected[a];
    if (pick(0, 1)) {
      Epoch event{chains[pick(0, chains.size() - 1)], pick(1, 9)};
      clock = clocks[a].with(event);
      model[event.chain] = std::max(model[event.chain], event.position);
    } else {
      clock = clocks[a].joined(clocks[b]);
      for (auto [chain, position] : expected[b])
        model[chain] = std::max(model[chain], position);
    }
    for (uint32_t chain : chains)
      ASSERT_EQ(clock.of(chain), model.count(chain) ? model[chain] : 0) << step;
    clocks.push_back(clock);
    expected.push_back(model);
    if (clocks.size() > 60) {
      clocks.erase(clocks.begin() + 1, clocks.begin() + 30);
      expected.erase(expected.begin() + 1, expected.begin() + 30);
    }
  }
}

// A loop that joins a token of its own in each iteration: quadratic if clocks were copied.
TEST(Clock, growsByAPathPerJoin) {
  Clock carried;
  for (uint32_t chain = 0; chain < 300000; ++chain)
    carried = carried.joined(Clock().with({chain, 1}));
  EXPECT_EQ(carried.of(299999), 1u);
  EXPECT_EQ(carried.of(300000), 0u);
}
