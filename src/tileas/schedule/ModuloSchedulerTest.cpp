// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/ModuloScheduler.h"

#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace tilewright::tileas;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

ModuloProblem makeProblem(unsigned units, ArrayRef<SmallVector<ModuloProblem::Use, 2>> uses,
                          ArrayRef<ModuloProblem::Edge> edges) {
  ModuloProblem problem;
  problem.units = units;
  for (const auto &each : uses)
    problem.operations.push_back({each});
  problem.edges.assign(edges.begin(), edges.end());
  return problem;
}

// Whether steps can start every `interval` cycles, by trying all cycles of the interval for all operations. Whole
// intervals between them are then a system of differences, which has a solution unless a cycle of edges is too long.
bool isPossible(const ModuloProblem &problem, int64_t interval) {
  size_t count = problem.operations.size();
  SmallVector<int64_t> cycles(count);
  auto unitsFit = [&] {
    for (unsigned unit = 0; unit != problem.units; ++unit) {
      SmallVector<bool> busy(interval);
      for (size_t op = 0; op != count; ++op)
        for (auto use : problem.operations[op].uses) {
          if (use.unit != unit)
            continue;
          if (use.cycles > interval)
            return false;
          for (int64_t cycle = 0; cycle != use.cycles; ++cycle) {
            bool &taken = busy[(cycles[op] + cycle) % interval];
            if (taken)
              return false;
            taken = true;
          }
        }
    }
    return true;
  };
  auto edgesFit = [&] {
    SmallVector<int64_t> steps(count);
    for (size_t round = 0; round <= count; ++round) {
      bool changed = false;
      for (const auto &edge : problem.edges) {
        int64_t cyclesLeft = edge.latency - interval * edge.distance + cycles[edge.from] - cycles[edge.to];
        int64_t wanted = steps[edge.from] + llvm::divideCeilSigned(cyclesLeft, interval);
        if (steps[edge.to] < wanted)
          steps[edge.to] = wanted, changed = true;
      }
      if (!changed)
        return true;
    }
    return false;
  };
  for (;;) {
    if (unitsFit() && edgesFit())
      return true;
    size_t op = 0;
    while (op != count && ++cycles[op] == interval)
      cycles[op++] = 0;
    if (op == count)
      return false;
  }
}

TEST(ModuloSchedulerTest, OverlapsTurnsThatDoNotWaitForEachOther) {
  ModuloProblem problem = makeProblem(2, {{{0, 1}}, {{1, 1}}}, {{0, 1, 4, 0}});
  ModuloScheduler scheduler(problem);
  EXPECT_EQ(scheduler.boundByUnits(), 1);
  EXPECT_EQ(scheduler.boundByRecurrences(), 1);
  EXPECT_EQ(scheduler.cyclesInOrder({0, 1}, {0, 0}, 1), 5);
  EXPECT_EQ(scheduler.cyclesInOrder({0, 1}, {0, 4}, 1), 1);
  auto found = scheduler.schedule(100, 8, 5);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->interval, 1);
  EXPECT_EQ(found->starts, (SmallVector<int64_t>{0, 4}));
  EXPECT_EQ(found->stages(), 5u);
}

TEST(ModuloSchedulerTest, WaitsForWhatTheTurnBeforeComputed) {
  // a -> b -> a of the next step: 3 + 4 cycles, of the step after the next: half of it.
  ModuloProblem problem = makeProblem(1, {{{0, 1}}, {{0, 1}}}, {{0, 1, 3, 0}, {1, 0, 4, 1}});
  EXPECT_EQ(ModuloScheduler(problem).boundByRecurrences(), 7);
  problem.edges[1].distance = 2;
  EXPECT_EQ(ModuloScheduler(problem).boundByRecurrences(), 4);
  problem.edges[1].distance = 0;
  EXPECT_FALSE(ModuloScheduler(problem).boundByRecurrences());
}

TEST(ModuloSchedulerTest, KeepsToTheRegistersThereAre) {
  // A product of 8 cycles feeds work of 8 cycles on other units: overlapped, results of two steps are there at a time.
  ModuloProblem problem = makeProblem(2, {{{0, 8}}, {{1, 8}}}, {{0, 1, 8, 0}});
  problem.values.push_back({0, 0, 64, {{1, 0, 8}}});
  ModuloScheduler scheduler(problem);
  auto found = scheduler.schedule(128, 4, 16);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->interval, 8);
  EXPECT_EQ(scheduler.registersOf(*found), 128);
  EXPECT_FALSE(scheduler.schedule(127, 4, 16));
  // In one stage the work may begin in the step's last cycle and go on in the next one.
  EXPECT_EQ(scheduler.schedule(128, 1, 16)->interval, 9);
}

TEST(ModuloSchedulerTest, BeginsTurnsWhereNothingIsUnderWay) {
  // The operation that starts at 0 ends at 6; the work before it has to be of the iteration before.
  ModuloProblem problem = makeProblem(2, {{{1, 4}}, {{0, 6}}, {{1, 1}}}, {{0, 1, 4, 0}, {1, 2, 6, 0}});
  ModuloScheduler scheduler(problem);
  EXPECT_EQ(scheduler.schedule(100, 8, 100)->interval, 6);
  problem.unbroken = {{1, 2}};
  auto found = scheduler.schedule(100, 8, 100);
  ASSERT_TRUE(found);
  EXPECT_GT(found->interval, 6);
  EXPECT_EQ(found->stageOf(1), found->stageOf(2));
}

TEST(ModuloSchedulerTest, FindsWhatTryingAllFinds) {
  std::mt19937 random(7);
  auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  unsigned longer = 0, problems = 0;
  while (problems != 300) {
    ModuloProblem problem;
    problem.units = 2;
    unsigned count = pick(2, 4);
    for (unsigned op = 0; op != count; ++op) {
      auto &uses = problem.operations.emplace_back().uses;
      uses.push_back({unsigned(pick(0, 1)), pick(1, 2)});
      if (pick(0, 4) == 0)
        uses.push_back({1 - uses[0].unit, 1});
    }
    for (int edge = pick(1, 5); edge != 0; --edge) {
      unsigned from = pick(0, count - 1), to = pick(0, count - 1);
      problem.edges.push_back({from, to, pick(0, 4), from < to ? unsigned(pick(0, 1)) : unsigned(pick(1, 2))});
    }
    ModuloScheduler scheduler(problem);
    int64_t bound = std::max(scheduler.boundByUnits(), *scheduler.boundByRecurrences());
    int64_t shortest = bound;
    while (!isPossible(problem, shortest))
      ++shortest;
    ++problems;
    auto found = scheduler.schedule(1000, 100, 100);
    ASSERT_TRUE(found);
    ASSERT_TRUE(scheduler.isLegal(*found));
    ASSERT_GE(found->interval, shortest);
    longer += found->interval != shortest;
  }
  // The search does not go back on everything: a few may be longer than they need be.
  EXPECT_LE(longer, problems / 50);
}

TEST(ModuloSchedulerTest, CountsRegistersAsEachCycleDoes) {
  std::mt19937 random(11);
  auto pick = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
  for (unsigned round = 0; round != 200; ++round) {
    ModuloProblem problem;
    ModuloSchedule schedule{pick(1, 9), {}};
    for (unsigned op = 0; op != 5; ++op) {
      problem.operations.emplace_back();
      schedule.starts.push_back(pick(0, 30));
    }
    for (unsigned value = 0; value != 4; ++value)
      problem.values.push_back(
          {unsigned(pick(0, 4)), pick(0, 2), pick(1, 64), {{unsigned(pick(0, 4)), unsigned(pick(0, 2)), pick(0, 3)}}});
    int64_t most = 0;
    for (int64_t cycle = 0; cycle != schedule.interval; ++cycle) {
      int64_t now = 0;
      for (const auto &value : problem.values) {
        const auto &reader = value.readers[0];
        int64_t begin = schedule.starts[value.from] + value.delay;
        int64_t end = schedule.starts[reader.op] + schedule.interval * reader.distance + reader.hold;
        for (int64_t at = begin; at < end; ++at)
          now += at % schedule.interval == cycle ? value.registers : 0;
      }
      most = std::max(most, now);
    }
    EXPECT_EQ(ModuloScheduler(problem).registersOf(schedule), most);
  }
}

} // namespace
