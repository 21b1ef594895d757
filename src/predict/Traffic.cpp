// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Traffic.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::predict {
namespace {

// Tiles that are looked at in all; waves beyond are taken to be as the last ones.
constexpr double budget = 400'000;
constexpr int64_t samplesOfLoop = 4;

class Counter {
public:
  Counter(const Work &work, double capacity, const Launch &launch, std::array<int64_t, 3> blocks, int64_t slots)
      : work(work), capacity(capacity), blocks(blocks), slots(slots), evaluate(work.scalars, launch, blocks) {}

  Traffic count() {
    int64_t all = blocks[0] * blocks[1] * blocks[2];
    if (all <= 0)
      return {};
    slots = std::min(slots, all);
    findStrides(all);
    int64_t waves = gridTrips > 0 ? gridTrips : divideCeil(uint64_t(all), uint64_t(slots));
    wave = 0;
    evaluate.enterBlock(0);
    looked = 0;
    for (const Agent &agent : work.agents)
      visit(work.regions[agent.region], 1);
    double each = std::max(1.0, looked);
    tiles.clear();
    readAnywhere.clear();
    touched = 0;
    sum = {};
    int64_t affordable = std::max<int64_t>(2, budget / (each * slots));
    double beforeLast = 0, beforeLastWritten = 0;
    int64_t done = 0;
    // A last wave that is not full costs as much of one as it has blocks.
    for (; done < std::min(waves, affordable); ++done) {
      beforeLast = sum.dramRead;
      beforeLastWritten = sum.dramWritten;
      runWave(done, all);
    }
    if (done < waves) {
      double rest = gridTrips > 0 ? waves - done : double(all) / slots - done;
      sum.dramRead += rest * (sum.dramRead - beforeLast);
      sum.dramWritten += rest * (sum.dramWritten - beforeLastWritten);
    }
    return sum;
  }

private:
  struct Seen {
    int64_t wave = -1, writtenIn = -1;
    double touchedBefore = 0; // bytes, up to then
  };

  // Of each loop every so manieth iteration is looked at, the same of all blocks.
  void findStrides(int64_t all) {
    for (int64_t number : {int64_t(0), all / 3, all / 2, all - 1}) {
      evaluate.enterBlock(number);
      for (const Agent &agent : work.agents)
        measure(work.regions[agent.region]);
    }
    for (auto &[loop, trips] : strides)
      trips = std::max<int64_t>(1, trips / samplesOfLoop);
  }
  void measure(const Region &region) {
    for (const Step &step : region.steps) {
      if (step.kind == Step::Kind::Loop) {
        int64_t trips = tripsOf(step, evaluate).value_or(1);
        if (step.isOverGrid)
          gridTrips = std::max(gridTrips, trips);
        int64_t &most = strides[&step];
        most = std::max(most, trips);
        evaluate.setVariable(step.variable, evaluate(step.first));
      }
      for (unsigned inner : step.regions)
        measure(work.regions[inner]);
    }
  }

  void runWave(int64_t number, int64_t all) {
    wave = number;
    int64_t first = gridTrips > 0 ? 0 : number * slots, last = std::min(first + slots, all);
    for (int64_t block = first; block < last; ++block) {
      evaluate.enterBlock(block);
      for (const Agent &agent : work.agents)
        visit(work.regions[agent.region], 1);
    }
  }

  void visit(const Region &region, double weight) {
    for (const Step &step : region.steps) {
      if (step.kind == Step::Kind::Access) {
        if (gridTrips == 0 || isInGridLoop || wave == 0)
          touch(work.accesses[step.index], weight);
      } else if (step.kind == Step::Kind::Loop) {
        visitLoop(step, weight);
      } else {
        for (unsigned inner : step.regions)
          visit(work.regions[inner], weight);
      }
    }
  }

  void visitLoop(const Step &loop, double weight) {
    std::optional<int64_t> known = tripsOf(loop, evaluate);
    sum.isComplete &= known.has_value();
    int64_t trips = known.value_or(1);
    const Region &body = work.regions[loop.regions[0]];
    auto enter = [&](int64_t number, double times) {
      enterIteration(loop, number, evaluate);
      visit(body, times);
    };
    if (loop.isOverGrid) {
      bool outer = std::exchange(isInGridLoop, true);
      if (wave < trips)
        enter(wave, weight);
      isInGridLoop = outer;
      return;
    }
    int64_t stride = std::max<int64_t>(1, strides.lookup(&loop));
    for (int64_t number = 0; number < trips; number += stride)
      enter(number, weight * std::min(stride, trips - number));
  }

  void touch(const Access &access, double weight) {
    if (!access.isRead && !access.isWritten)
      return;
    looked += 1;
    Tile tile = tileOf(access, evaluate);
    sum.isComplete &= tile.isKnown;
    if (tile.bytes == 0)
      return;
    double bytes = tile.ownBytes * weight;
    Seen &seen = tiles[tile.key];
    bool isOld = seen.wave >= 0, isHere = seen.wave == wave;
    bool isCached = isHere || (isOld && touched - seen.touchedBefore <= capacity);
    if (access.isRead && !isCached)
      sum.dramRead += tile.isKnown ? bytes : restOf(access, bytes);
    if (access.isWritten && seen.writtenIn != wave) {
      sum.dramWritten += bytes;
      seen.writtenIn = wave;
    }
    if (!isCached)
      touched += bytes;
    seen.wave = wave;
    seen.touchedBefore = touched;
  }

  // Of tiles at unknown places no more is read than the array has: blocks of the same expert follow one another.
  double restOf(const Access &access, double bytes) {
    std::optional<double> array = arrayBytesOf(access, evaluate);
    if (!array)
      return bytes;
    double &read = readAnywhere[evaluate(access.base).number], rest = std::clamp(*array - read, 0.0, bytes);
    read += rest;
    return rest;
  }

  const Work &work;
  double capacity;
  std::array<int64_t, 3> blocks;
  int64_t slots;
  Evaluator evaluate;
  DenseMap<int64_t, double> readAnywhere; // bytes, by array
  DenseMap<const Step *, int64_t> strides;
  DenseMap<uint64_t, Seen> tiles;
  double touched = 0, looked = 0;
  int64_t wave = 0, gridTrips = 0;
  bool isInGridLoop = false;
  Traffic sum;
};

} // namespace

Traffic countTraffic(const Work &work, double capacity, const Launch &launch, std::array<int64_t, 3> blocks,
                     int64_t slots) {
  return Counter(work, capacity, launch, blocks, slots).count();
}

} // namespace tilewright::predict
