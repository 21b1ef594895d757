// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/CpuBlock.h"

#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::predict;

namespace {

Cpu cpuWith(unsigned threads) {
  Cpu cpu;
  cpu.rates = findCpuPerformance("sapphirerapids");
  cpu.threads = threads;
  cpu.machine.cores = 16;
  cpu.machine.l1Bytes = 48 << 10;
  cpu.machine.l2Bytes = 2 << 20;
  return cpu;
}

// Parameters: 0 and 1 are arrays, 2 is their number of rows. A block loads a row of 1024 numbers of f32, computes, and
// stores it.
struct Rows {
  explicit Rows(double instructions) {
    ScalarId rows = work.scalars.make(ScalarKind::Parameter, 2), columns = work.scalars.constant(1024);
    ScalarId one = work.scalars.constant(1), zero = work.scalars.constant(0);
    work.agents.push_back({1, 0});
    work.regions.emplace_back();
    auto access = [&](unsigned array, bool isRead) {
      Access access;
      access.isRead = isRead;
      access.isWritten = !isRead;
      access.elementBits = 32;
      access.base = work.scalars.make(ScalarKind::Parameter, array);
      access.shape = {rows, columns};
      access.strides = {columns, one};
      access.offsets = {work.scalars.make(ScalarKind::BlockId, 0), zero};
      access.extents = {1, 1024};
      access.streamBytes = isRead ? 0 : 2 << 20;
      Step step;
      step.kind = Step::Kind::Access;
      step.index = work.accesses.size();
      work.accesses.push_back(access);
      return step;
    };
    Step load = access(0, true), loop, store = access(1, false);
    load.result = work.values++;
    loop.uses = {load.result};
    loop.result = work.values++;
    loop.rows = 1;
    loop.instructions[static_cast<unsigned>(Pipe::F32)] = instructions;
    store.uses = {loop.result};
    work.regions[0].steps = {load, loop, store};
  }

  Prediction on(int64_t rows, unsigned threads = 1) const {
    Launch launch{{rows, 1, 1}, {0, int64_t(1) << 40, rows}};
    return predict::predict(work, launch, cpuWith(threads));
  }

  Work work;
};

constexpr double rowBytes = 4096;

TEST(CpuPrediction, GrowsWithTheSize) {
  Rows add(64);
  double before = 0;
  for (int64_t rows : {1, 10, 100, 1000, 10'000, 100'000}) {
    Prediction prediction = add.on(rows, 4);
    EXPECT_TRUE(prediction.isComplete && prediction.isTrafficComplete);
    EXPECT_GT(prediction.seconds, before);
    before = prediction.seconds;
  }
}

TEST(CpuPrediction, IsBoundByDramForACopyOfLargeArrays) {
  Rows copy(64);
  Cpu cpu = cpuWith(16);
  int64_t rows = 1 << 18;
  Prediction prediction = copy.on(rows, 16);
  EXPECT_EQ(prediction.bounds.front().name, "DRAM");
  EXPECT_NEAR(prediction.dramBytes, 2 * rowBytes * rows, 0.01 * rowBytes * rows);
  double least = rowBytes * rows * (1 / cpu.dramPerThread() + 1 / cpu.streamPerThread()) / 16;
  EXPECT_GT(prediction.seconds, 0.9 * least);
  EXPECT_LT(prediction.seconds, 1.5 * least);
}

// The launch before has left small arrays in the caches.
TEST(CpuPrediction, FindsSmallArraysInTheCaches) {
  Rows copy(64);
  EXPECT_EQ(copy.on(64).dramBytes, 0);
  EXPECT_LT(copy.on(64).seconds / 64, copy.on(1 << 18).seconds / (1 << 18) / 3);
}

TEST(CpuPrediction, IsBoundByTheUnitThatComputes) {
  Rows compute(100'000);
  EXPECT_EQ(compute.on(1000).bounds.front().name, "vector units");
  double one = compute.on(1600, 1).seconds, sixteen = compute.on(1600, 16).seconds;
  EXPECT_GT(one / sixteen, 12);
  EXPECT_LT(one / sixteen, 16.5);
}

// Threads that share a core have a part of it each.
TEST(CpuPrediction, SharesTheUnitsOfCores) {
  Rows compute(100'000);
  Launch launch{{1600, 1, 1}, {0, int64_t(1) << 40, 1600}};
  Cpu cpu = cpuWith(16);
  double whole = predict::predict(compute.work, launch, cpu).seconds;
  cpu.machine.portShare = 0.5;
  cpu.machine.portThreads = 16;
  EXPECT_NEAR(predict::predict(compute.work, launch, cpu).seconds / whole, 2, 0.1);
  cpu.threads = 1;
  double one = predict::predict(compute.work, launch, cpu).seconds;
  cpu.machine.portShare = 1;
  EXPECT_EQ(predict::predict(compute.work, launch, cpu).seconds, one);
}

// A block more than there are threads takes as long as another one for each of them.
TEST(CpuPrediction, WaitsForTheLastBlock) {
  Rows compute(1'000'000);
  EXPECT_GT(compute.on(17, 16).seconds / compute.on(16, 16).seconds, 1.8);
}

TEST(CpuPrediction, RunsShortLaunchesOnOneThread) {
  Rows add(64);
  EXPECT_EQ(add.on(2, 16).slots, 1);
  EXPECT_EQ(add.on(10'000, 16).slots, 16);
}

TEST(CpuPrediction, TakesProductsAtTheirRate) {
  Rows product(0);
  Step &step = product.work.regions[0].steps[1];
  step.kind = Step::Kind::Product;
  step.type = ProductType::F32;
  step.operations = 1e9;
  Prediction prediction = product.on(1);
  EXPECT_EQ(prediction.bounds.front().name, "matrix units");
  double peak = productRate(ProductType::F32, *cpuWith(1).rates) * cpuWith(1).hertz();
  EXPECT_GT(prediction.seconds, 1e9 / peak);
  EXPECT_LT(prediction.seconds, 1.7e9 / peak);
  // Only as far as the row is inside of the array.
  step.limits.push_back({0, 0, 1});
  product.work.accesses[0].extents = {2, 1024};
  EXPECT_LT(product.on(1).seconds, 0.6 * prediction.seconds);
}

// Chains of short blocks run side by side, those of blocks longer than the window one after the other.
TEST(CpuPrediction, RunsChainsOfShortBlocksSideBySide) {
  Cpu cpu = cpuWith(1);
  auto secondsOfChain = [&](double instructions) {
    Rows without(instructions), with(instructions);
    with.work.regions[0].steps[1].chain = 1000;
    return (with.on(64).seconds - without.on(64).seconds) / 64;
  };
  double whole = 1000 * cpu.rates->latency / cpu.hertz();
  EXPECT_LT(secondsOfChain(cpu.constants.windowInstructions / 4), 0.3 * whole);
  EXPECT_GT(secondsOfChain(cpu.constants.windowInstructions), 0.8 * whole);
}

TEST(CpuPrediction, SharesTheBeginningOfJoinedBlocks) {
  Rows alone(1), joined(1);
  joined.work.joined = 8;
  Cpu cpu = cpuWith(1);
  double overhead = (cpu.constants.blockCycles + cpu.constants.loopCycles) / cpu.hertz();
  double saved = (alone.on(64).seconds - joined.on(64).seconds) / 64;
  EXPECT_GT(saved, overhead * 0.3);
  EXPECT_LT(saved, overhead);
}

// Panels that stay for the next block are filled once for all that want the same.
TEST(CpuPrediction, FillsKeptPanelsOnce) {
  Rows pack(100'000);
  double each = pack.on(64).seconds;
  Step &step = pack.work.regions[0].steps[1];
  step.kept = 0;
  EXPECT_NEAR(pack.on(64).seconds, each, 0.01 * each);
  pack.work.accesses[0].offsets[0] = pack.work.scalars.constant(0);
  EXPECT_LT(pack.on(64).seconds, 0.2 * each);
}

TEST(CpuPerformance, HasARowForEachProcessor) {
  EXPECT_EQ(cpuPerformanceOf("znver3", Isa::X86, 256).name, "zen3");
  EXPECT_EQ(cpuPerformanceOf("cascadelake", Isa::X86, 512).name, "skylake-avx512");
  EXPECT_EQ(cpuPerformanceOf("unknown", Isa::X86, 256).name, "x86-64-v3");
  EXPECT_EQ(cpuPerformanceOf("unknown", Isa::X86, 512).vectorBits, 512u);
  EXPECT_EQ(cpuPerformanceOf("generic", Isa::Aarch64, 128).name, "neoverse-n1");
  EXPECT_EQ(cpuPerformanceOf("unknown", Isa::Aarch64, 128).name, "neoverse-n1");
  EXPECT_EQ(cpuPerformanceOf("neoverse-v2", Isa::Aarch64, 128).name, "neoverse-v2");
  for (const CpuPerformance &row : knownCpuPerformance())
    EXPECT_EQ(findCpuPerformance(row.name), &row);
}

} // namespace
