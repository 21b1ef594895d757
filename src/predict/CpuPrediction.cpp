// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/CpuBlock.h"
#include "predict/Traffic.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <queue>

using namespace llvm;

namespace tilewright::predict {
namespace {

constexpr int64_t sampledBlocks = 48, mostClaims = 200'000;

// As the scheduler hands out blocks (runtime/Scheduler.cpp, BlockShares.cpp).
constexpr double aloneSeconds = 5e-6, runSeconds = 2e-6;

class CpuPredictor {
public:
  CpuPredictor(const Work &work, const Launch &launch, const Cpu &cpu) : work(work), launch(launch), cpu(cpu) {
    this->cpu.asked = cpu.threads;
  }

  Prediction predict() {
    result.device =
        std::to_string(cpu.threads) + (cpu.threads == 1 ? " thread of " : " threads of ") + cpu.rates->name.str();
    result.dramBandwidth = cpu.dramPerThread() * cpu.threads;
    result.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    if (result.blocks == 0)
      return std::move(result);
    findCached();
    useThreads(1);
    // Short ones run on the calling thread, which finds in its caches what it had before.
    if (cpu.asked > 1 && result.blocks > 1 && sum.seconds >= aloneSeconds)
      useThreads(std::min<int64_t>(cpu.asked, result.blocks));
    combine();
    return std::move(result);
  }

private:
  void useThreads(unsigned threads) {
    cpu.threads = threads;
    findKept();
    findSources();
    sampleBlocks();
  }

  // As bytes of a block are counted: what is written is read before.
  static double total(const Traffic &traffic) { return traffic.dramRead + 2 * traffic.dramWritten; }
  Traffic trafficBeyond(double capacity, int64_t slots) const {
    return countTraffic(cached, capacity, launch, launch.grid, slots);
  }

  // Without what is written past the caches.
  void findCached() {
    cached = work;
    Evaluator evaluate(work.scalars, launch, launch.grid);
    for (Access &access : cached.accesses)
      if (isStreamed(access, evaluate))
        access.isWritten = false;
  }

  // Where the bytes of arrays are when a launch begins: where the same launch before has left them.
  void findSources() {
    const CpuMachine &machine = cpu.machine;
    double l2 = machine.l2Bytes * cpu.constants.l2Share, l3 = machine.l3Bytes * cpu.constants.l3Share;
    Traffic whole = trafficBeyond(std::numeric_limits<double>::infinity(), 1);
    result.isTrafficComplete = whole.isComplete;
    double footprint = whole.dramRead + whole.dramWritten;
    beyondL2 = total(trafficBeyond(l2, 1));
    dram = total(trafficBeyond(l3, cpu.threads)) * shareLost(footprint, l3);
    // Another thread may have had the block.
    double stays = (1 - shareLost(footprint, l2 * cpu.threads)) / cpu.threads;
    beyondL2 = std::max(beyondL2 * (1 - stays), dram);
  }

  // Of what a cyclic walk over so many bytes finds no more in a cache.
  static double shareLost(double bytes, double capacity) {
    return std::clamp((bytes / std::max(1.0, capacity) - 1) * 2, 0.0, 1.0);
  }

  // Panels are filled where a block wants others than the one before.
  void findKept() {
    Evaluator evaluate(work.scalars, launch, launch.grid);
    for (const Region &region : work.regions)
      for (const Step &step : region.steps)
        if (step.kept)
          kept[*step.kept] = shareOfOthers(work.accesses[*step.kept], evaluate);
  }
  double shareOfOthers(const Access &access, Evaluator &evaluate) {
    int64_t pairs = std::min<int64_t>(sampledBlocks, result.blocks - 1), others = 0;
    if (pairs <= 0)
      return 1;
    for (int64_t pair = 0; pair < pairs; ++pair) {
      int64_t number = pair * (result.blocks - 1) / pairs;
      evaluate.enterBlock(number);
      uint64_t before = tileOf(access, evaluate).key;
      evaluate.enterBlock(number + 1);
      others += tileOf(access, evaluate).key != before;
    }
    double runs = std::min<double>(result.blocks, 2.0 * cpu.threads);
    return std::min(1.0, (double(others) / pairs * (result.blocks - 1) + runs) / result.blocks);
  }

  void sampleBlocks() {
    Evaluator evaluate(work.scalars, launch, launch.grid);
    CpuSources sources;
    // The bytes that blocks touch are known before where they come from.
    for (bool isLast : {false, true}) {
      sum = {};
      seconds.clear();
      int64_t samples = std::min(sampledBlocks, result.blocks);
      CpuBlockTimer timer(work, cpu, sources, kept);
      for (int64_t i = 0; i < samples; ++i) {
        evaluate.enterBlock(samples == 1 ? 0 : i * (result.blocks - 1) / (samples - 1));
        CpuBlock block = timer.time(evaluate);
        seconds.push_back(block.seconds);
        sum.add(block, double(result.blocks) / samples);
      }
      if (isLast)
        break;
      double bytes = std::max(1.0, sum.arrays.cached);
      sources.beyondL2 = std::min(1.0, beyondL2 / bytes);
      sources.dram = std::min(1.0, dram / bytes);
    }
    result.isComplete = sum.isComplete;
    result.asked = sum.askedBytes;
    result.l2Bytes = sum.arrays.cached + sum.scratchBytes;
    result.dramBytes = dram + sum.arrays.streamed;
    result.operations = sum.operations + sum.products;
    double perCycle = sum.products > 0
                          ? sum.products / std::max(1.0, sum.cycles[static_cast<unsigned>(CpuUnit::Matrix)])
                          : productRate(ProductType::F32, *cpu.rates);
    result.peakOperations = perCycle * cpu.unitHertz() * cpu.threads;
    result.blockCycles = sum.seconds / result.blocks * cpu.hertz();
  }

  double secondsOf(int64_t first, int64_t end) const {
    double middle = (first + end - 1) / 2.0;
    size_t nearest = seconds.size() == 1
                         ? 0
                         : std::lround(middle * (seconds.size() - 1) / std::max<double>(1, double(result.blocks) - 1));
    return seconds[std::min(nearest, seconds.size() - 1)] * double(end - first);
  }

  // Until the last thread is done: each takes the next run of its share when it is free, at its end of the lowest one.
  double schedule() const {
    if (cpu.threads == 1)
      return sum.seconds;
    double each = sum.seconds / result.blocks;
    int64_t least = std::max<int64_t>(
        1, std::min<int64_t>(int64_t(runSeconds / std::max(1e-12, each)), result.blocks / (2 * int64_t(cpu.asked))));
    using Free = std::pair<double, unsigned>; // when, which thread
    std::priority_queue<Free, std::vector<Free>, std::greater<Free>> free;
    std::vector<std::pair<int64_t, int64_t>> shares;
    for (unsigned thread = 0; thread < cpu.threads; ++thread) {
      free.push({0, thread});
      shares.push_back({result.blocks * thread / cpu.threads, result.blocks * (thread + 1) / cpu.threads});
    }
    auto isLeft = [](std::pair<int64_t, int64_t> share) { return share.first < share.second; };
    double last = 0;
    for (int64_t claims = 0; claims < mostClaims; ++claims) {
      auto [begin, thread] = free.top();
      auto share = isLeft(shares[thread]) ? shares.begin() + thread : llvm::find_if(shares, isLeft);
      if (share == shares.end())
        break;
      auto &[next, end] = *share;
      int64_t run = std::min(end, next + std::max(least, (end - next) / 2));
      double done = begin + secondsOf(next, run);
      free.pop();
      free.push({done, thread});
      last = std::max(last, done);
      next = run;
    }
    return std::max(last, sum.seconds / cpu.threads);
  }

  void combine() {
    double launchSeconds = cpu.constants.launchSeconds;
    unsigned threads = cpu.threads;
    if (threads > 1)
      launchSeconds += cpu.constants.wakeSeconds + cpu.asked * cpu.constants.threadSeconds;
    result.slots = threads;
    result.waves = double(result.blocks) / threads;
    result.seconds = launchSeconds + schedule();
    auto add = [&](StringRef name, double value) {
      if (value > 0)
        result.bounds.push_back({name.str(), value});
    };
    add("launch", launchSeconds);
    add("DRAM", dram / threads / cpu.dramPerThread() + sum.arrays.streamed / threads / cpu.streamPerThread());
    add("L3", beyondL2 / threads / cpu.l3PerThread());
    add("L2", result.l2Bytes / threads / cpu.l2PerThread());
    for (unsigned unit = 0; unit < cpuUnitCount; ++unit)
      add(nameOf(static_cast<CpuUnit>(unit)), sum.cycles[unit] / threads / cpu.unitHertz());
    llvm::sort(result.bounds, [](const Bound &a, const Bound &b) { return a.seconds > b.seconds; });
  }

  const Work &work;
  const Launch &launch;
  Cpu cpu;
  Work cached;
  double beyondL2 = 0, dram = 0; // bytes that come from there
  DenseMap<unsigned, double> kept;
  std::vector<double> seconds; // of the sampled blocks
  CpuBlock sum;
  Prediction result;
};

} // namespace

double Cpu::unitHertz() const {
  if (threads == 1 || machine.portThreads <= 1)
    return hertz();
  double others = std::min(1.0, (std::max(threads, asked) - 1) / (machine.portThreads - 1));
  return hertz() * (1 - (1 - machine.portShare) * others);
}

ArrayRef<NamedNumber<CpuConstants>> CpuConstants::fields() {
  static constexpr NamedNumber<CpuConstants> table[] = {
      {"launchSeconds", &CpuConstants::launchSeconds},
      {"wakeSeconds", &CpuConstants::wakeSeconds},
      {"threadSeconds", &CpuConstants::threadSeconds},
      {"blockCycles", &CpuConstants::blockCycles},
      {"loopCycles", &CpuConstants::loopCycles},
      {"rowCycles", &CpuConstants::rowCycles},
      {"windowInstructions", &CpuConstants::windowInstructions},
      {"edgeFactor", &CpuConstants::edgeFactor},
      {"vectorEfficiency", &CpuConstants::vectorEfficiency},
      {"productEfficiency", &CpuConstants::productEfficiency},
      {"l1Share", &CpuConstants::l1Share},
      {"l2Share", &CpuConstants::l2Share},
      {"l3Share", &CpuConstants::l3Share},
      {"l2Efficiency", &CpuConstants::l2Efficiency},
      {"coreEfficiency", &CpuConstants::coreEfficiency},
      {"l3Efficiency", &CpuConstants::l3Efficiency},
      {"dramEfficiency", &CpuConstants::dramEfficiency},
      {"overlap", &CpuConstants::overlap},
  };
  return table;
}

ArrayRef<NamedNumber<CpuMachine>> CpuMachine::fields() {
  static constexpr NamedNumber<CpuMachine> table[] = {
      {"portShare", &CpuMachine::portShare}, {"portThreads", &CpuMachine::portThreads},
      {"cores", &CpuMachine::cores},         {"hertz", &CpuMachine::hertz},
      {"l1Bytes", &CpuMachine::l1Bytes},     {"l2Bytes", &CpuMachine::l2Bytes},
      {"l3Bytes", &CpuMachine::l3Bytes},     {"l3Core", &CpuMachine::l3Core},
      {"l3All", &CpuMachine::l3All},         {"dramCore", &CpuMachine::dramCore},
      {"dramAll", &CpuMachine::dramAll},     {"streamCore", &CpuMachine::streamCore},
      {"streamAll", &CpuMachine::streamAll},
  };
  return table;
}

Prediction predict(const Work &work, const Launch &launch, const Cpu &cpu) {
  return CpuPredictor(work, launch, cpu).predict();
}

} // namespace tilewright::predict
