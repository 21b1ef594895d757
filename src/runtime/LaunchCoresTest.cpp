// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/LaunchCores.h"
#include "gtest/gtest.h"
#include <memory>
#include <thread>
#include <vector>

using namespace tilewright;

namespace {

cpu_set_t cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  return set;
}

void runOn(const cpu_set_t &set) {
  ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

cpu_set_t only(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return set;
}

struct Joined {
  int core;
  cpu_set_t allowed;
};

// Where a thread is that may run on `allowed` after it has joined launches from these cores, each of which it woke on.
Joined join(const std::vector<int> &launchers, cpu_set_t allowed) {
  Joined result;
  std::thread([&] {
    runOn(allowed);
    for (int core : launchers) {
      std::unique_ptr<LaunchCores> launch;
      std::thread([&] {
        runOn(only(core));
        launch = std::make_unique<LaunchCores>();
      }).join();
      cpu_set_t before = cores();
      runOn(only(core));
      runOn(before);
      launch->join();
      launch->leave();
    }
    result = {sched_getcpu(), cores()};
  }).join();
  return result;
}

std::vector<int> twoCores() {
  cpu_set_t all = cores();
  std::vector<int> found;
  for (int core = 0; core < CPU_SETSIZE && found.size() < 2; ++core)
    if (CPU_ISSET(core, &all))
      found.push_back(core);
  return found;
}

TEST(LaunchCores, ThreadLeavesTheCoreOfTheLauncher) {
  std::vector<int> two = twoCores();
  if (two.size() < 2)
    GTEST_SKIP() << "one core";
  for (const std::vector<int> &launchers : {std::vector{two[0]}, {two[1]}, {two[0], two[1]}}) {
    Joined joined = join(launchers, cores());
    cpu_set_t expected = cores();
    CPU_CLR(launchers.back(), &expected);
    EXPECT_NE(joined.core, launchers.back());
    EXPECT_TRUE(CPU_EQUAL(&joined.allowed, &expected));
  }
}

TEST(LaunchCores, ThreadStaysWhereItMustRun) {
  std::vector<int> two = twoCores();
  cpu_set_t own = only(two[0]);
  for (const std::vector<int> &launchers : {std::vector{two[0]}, {two.back(), two[0]}}) {
    Joined joined = join(launchers, own);
    EXPECT_EQ(joined.core, two[0]);
    EXPECT_TRUE(CPU_EQUAL(&joined.allowed, &own));
  }
}

TEST(LaunchCores, ThreadThatLaunchesStaysAlsoInLaunchesOfOthers) {
  cpu_set_t all = cores(), afterwards;
  std::thread([&] {
    LaunchCores own;
    std::unique_ptr<LaunchCores> other;
    std::thread([&] { other = std::make_unique<LaunchCores>(); }).join();
    other->join();
    other->leave();
    afterwards = cores();
  }).join();
  EXPECT_TRUE(CPU_EQUAL(&all, &afterwards));
}

} // namespace
