// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Prediction.h"

#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace tilewright;
using namespace tilewright::predict;

namespace {

Gpu h100() {
  const nvidia::Architecture *architecture = cantFail(nvidia::parseArchitecture("sm_90"));
  return {architecture, nvidia::performanceOf(*architecture), *nvidia::productOf(*architecture), {}};
}

double l2Share() {
  return h100().product.l2Capacity * h100().constants.l2Share;
}

// Parameters: 0 and 1 are arrays, 2 is their number of rows. A block loads a row of 1024 numbers of f32 and stores it.
class Rows {
public:
  Rows() {
    rows = work.scalars.make(ScalarKind::Parameter, 2);
    columns = work.scalars.constant(1024);
    one = work.scalars.constant(1);
    zero = work.scalars.constant(0);
    block = work.scalars.make(ScalarKind::BlockId, 0);
    work.agents.push_back({4, 0});
    work.regions.emplace_back();
  }

  Access access(ScalarId base, ScalarId row, bool isRead) {
    Access access;
    access.isRead = isRead;
    access.isWritten = !isRead;
    access.elementBits = 32;
    access.base = base;
    access.shape = {rows, columns};
    access.strides = {columns, one};
    access.offsets = {row, zero};
    access.extents = {1, 1024};
    access.requests = 2;
    access.lines = 4;
    return access;
  }
  void add(unsigned region, Access access) {
    Step step;
    step.kind = Step::Kind::Access;
    step.index = work.accesses.size();
    if (access.isRead)
      step.result = work.values++;
    else
      step.uses.push_back(0);
    work.accesses.push_back(std::move(access));
    work.regions[region].steps.push_back(std::move(step));
  }
  ScalarId parameter(unsigned number) { return work.scalars.make(ScalarKind::Parameter, number); }

  Work work;
  ScalarId rows, columns, one, zero, block;
};

constexpr double rowBytes = 4096;

TEST(Traffic, CountsEachTileOfAWaveOnce) {
  Rows copy;
  copy.add(0, copy.access(copy.parameter(0), copy.block, true));
  copy.add(0, copy.access(copy.parameter(1), copy.block, false));
  copy.add(0, copy.access(copy.parameter(0), copy.zero, true)); // of all blocks the same
  Launch launch{{5000, 1, 1}, {1 << 20, 1 << 30, 5000}};
  Traffic traffic = countTraffic(copy.work, l2Share(), launch, launch.grid, 500);
  EXPECT_TRUE(traffic.isComplete);
  EXPECT_DOUBLE_EQ(traffic.dramRead, 5000 * rowBytes);
  EXPECT_DOUBLE_EQ(traffic.dramWritten, 5000 * rowBytes);
}

TEST(Traffic, LosesTilesThatTheCacheHasNoRoomFor) {
  Rows twice; // block b reads row b % rows
  ScalarId row = twice.work.scalars.make(ScalarKind::RemS, 0, {twice.block, twice.rows});
  twice.add(0, twice.access(twice.parameter(0), row, true));
  auto bytesOf = [&](int64_t rows) {
    Launch launch{{2 * rows, 1, 1}, {0, 0, rows}};
    return countTraffic(twice.work, l2Share(), launch, launch.grid, 1000).dramRead;
  };
  EXPECT_DOUBLE_EQ(bytesOf(2000), 2000 * rowBytes);   // 8 MB
  EXPECT_DOUBLE_EQ(bytesOf(40000), 80000 * rowBytes); // 160 MB
}

// Each block reads a row of its own choice, of an array of 100 rows.
TEST(Traffic, ReadsNoMoreThanTheArrayAtUnknownPlaces) {
  Rows chosen;
  ScalarId row = chosen.work.scalars.make(ScalarKind::Mix, 17, {chosen.block});
  chosen.add(0, chosen.access(chosen.parameter(0), row, true));
  auto trafficOf = [&](int64_t blocks) {
    Launch launch{{blocks, 1, 1}, {1 << 20, 0, 100}};
    return countTraffic(chosen.work, l2Share(), launch, launch.grid, 30);
  };
  EXPECT_FALSE(trafficOf(40).isComplete);
  EXPECT_DOUBLE_EQ(trafficOf(40).dramRead, 40 * rowBytes);
  EXPECT_DOUBLE_EQ(trafficOf(1000).dramRead, 100 * rowBytes);
}

TEST(Traffic, CountsSectorsOfPartsOfRows) {
  Rows narrow;
  Access access = narrow.access(narrow.parameter(0), narrow.zero, true);
  access.extents = {64, 1}; // a column
  Launch launch{{1, 1, 1}, {0, 0, 40}};
  Evaluator evaluate(narrow.work.scalars, launch, {1, 1, 1});
  Tile tile = tileOf(access, evaluate);
  EXPECT_DOUBLE_EQ(tile.bytes, 40 * 4); // rows that there are
  EXPECT_DOUBLE_EQ(tile.sectorBytes, 40 * 32);
  access.extents = {8, 1024}; // whole rows are one run
  EXPECT_DOUBLE_EQ(tileOf(access, evaluate).sectorBytes, 8 * rowBytes);
}

// Rows of 1000 elements of f32 begin at a multiple of 32 bytes, those of 1001 at any of 4; whole sectors are read, and
// those that tiles share come from DRAM once.
TEST(Traffic, CountsSectorsOfRowsThatBeginAnywhere) {
  Rows narrow;
  Access access = narrow.access(narrow.parameter(0), narrow.zero, true);
  access.extents = {64, 32};
  auto tileOfRows = [&](int64_t stride) {
    Access other = access;
    other.strides[0] = narrow.work.scalars.constant(stride);
    Launch launch{{1, 1, 1}, {0, 0, 64}};
    Evaluator evaluate(narrow.work.scalars, launch, {1, 1, 1});
    return tileOf(other, evaluate);
  };
  EXPECT_DOUBLE_EQ(tileOfRows(1000).sectorBytes, 64 * 128);
  EXPECT_DOUBLE_EQ(tileOfRows(1001).sectorBytes, 64 * (128 + 28));
  EXPECT_DOUBLE_EQ(tileOfRows(1002).sectorBytes, 64 * (128 + 24));
  EXPECT_DOUBLE_EQ(tileOfRows(1001).ownBytes, 64 * 128);
}

Work copyOfRows() {
  Rows copy;
  copy.add(0, copy.access(copy.parameter(0), copy.block, true));
  copy.add(0, copy.access(copy.parameter(1), copy.block, false));
  return std::move(copy.work);
}

TEST(Prediction, IsBoundByDramForACopy) {
  Work work = copyOfRows();
  Launch launch{{1 << 18, 1, 1}, {0, int64_t(1) << 40, 1 << 18}};
  Gpu gpu = h100();
  Prediction prediction = predict::predict(work, {32, 0, false}, launch, gpu);
  EXPECT_EQ(prediction.bounds.front().name, "DRAM");
  double least = 2 * rowBytes * (1 << 18) / gpu.product.dramBytes;
  EXPECT_GT(prediction.seconds, least);
  EXPECT_LT(prediction.seconds, 1.4 * least);
  EXPECT_EQ(prediction.occupancy.blocks, 16u);
}

// A launch that only reads writes back the lines that the one before has left dirty in the L2 cache.
TEST(Prediction, WritesBackWhatTheCacheHolds) {
  Rows sum;
  sum.add(0, sum.access(sum.parameter(0), sum.block, true));
  int64_t rows = 1 << 15;
  Launch launch{{rows, 1, 1}, {0, 0, rows}};
  Gpu gpu = h100();
  auto dramSeconds = [&](double dirtyShare) {
    gpu.constants.dirtyShare = dirtyShare;
    Prediction prediction = predict::predict(sum.work, {32, 0, false}, launch, gpu);
    return llvm::find_if(prediction.bounds, [](const Bound &bound) { return bound.name == "DRAM"; })->seconds;
  };
  double more = (dramSeconds(1) - dramSeconds(0)) * gpu.product.dramBytes * gpu.constants.dramEfficiency;
  EXPECT_NEAR(more, gpu.product.l2Capacity, 0.1 * gpu.product.l2Capacity);
}

TEST(Prediction, IsBoundByLatencyForOneBlock) {
  Work work = copyOfRows();
  Launch launch{{1, 1, 1}, {0, int64_t(1) << 40, 1}};
  Prediction prediction = predict::predict(work, {32, 0, false}, launch, h100());
  EXPECT_GT(prediction.blockCycles, h100().rates->globalLatency);
  EXPECT_LT(prediction.seconds, 6e-6);
}

// One block more than fit at a time takes another wave.
TEST(Prediction, CountsWaves) {
  Rows compute;
  Step step;
  step.instructions[static_cast<unsigned>(Pipe::F32)] = 100'000;
  compute.work.regions[0].steps.push_back(step);
  Gpu gpu = h100();
  auto secondsOf = [&](int64_t blocks) {
    Launch launch{{blocks, 1, 1}, {0, 0, 1}};
    return predict::predict(compute.work, {255, 0, false}, launch, gpu).seconds - gpu.constants.launchSeconds;
  };
  double one = secondsOf(264); // two blocks of an SM, by their registers
  EXPECT_NEAR(secondsOf(2 * 264) / one, 2, 0.01);
  EXPECT_GT(secondsOf(265) / one, 1.4);
}

TEST(Prediction, CountsBlocksThatShareOneOfTheGrid) {
  Rows compute;
  compute.work.regions[0].steps.emplace_back();
  compute.work.blocksPerSm = 1;
  compute.work.split = 2;
  Gpu gpu = h100();
  auto blocksOf = [&](int64_t blocks) {
    return predict::predict(compute.work, {255, 0, false}, Launch{{blocks, 1, 1}, {0, 0, 1}}, gpu).blocks;
  };
  EXPECT_EQ(blocksOf(30), 60);
  EXPECT_EQ(blocksOf(100), gpu.product.multiprocessors);
}

// Of a ring of stages the copies of the next iterations are under way: an iteration takes the time of its product, not
// the latency.
TEST(Prediction, HidesLatencyBehindAPipeline) {
  auto cyclesWith = [](unsigned stages) {
    Rows product;
    Work &work = product.work;
    work.pipelines.push_back({stages, 32 << 10});
    unsigned body = work.regions.size();
    work.regions.emplace_back();
    Step loop;
    loop.kind = Step::Kind::Loop;
    loop.first = product.zero;
    loop.last = work.scalars.constant(100);
    loop.step = product.one;
    loop.variable = work.scalars.make(ScalarKind::Variable, 0);
    loop.regions = {body};
    work.regions[0].steps.push_back(loop);
    Step wait, multiply, release;
    wait.kind = Step::Kind::Wait;
    multiply.kind = Step::Kind::Product;
    multiply.operations = 2.0 * 128 * 256 * 64;
    release.kind = Step::Kind::Release;
    work.regions[body].steps = {wait, multiply, release};
    Launch launch;
    Gpu gpu = h100();
    Evaluator evaluate(work.scalars, launch, {1, 1, 1});
    return timeBlock(work, gpu, evaluate).cycles / 100;
  };
  double alone = 2.0 * 128 * 256 * 64 / 4096;
  EXPECT_GT(cyclesWith(1), alone + 600);
  EXPECT_LT(cyclesWith(4), 1.5 * alone);
}

} // namespace
