// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Prediction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <queue>

using namespace llvm;

namespace tilewright::predict {
namespace {

constexpr int64_t sampledBlocks = 48, mostScheduled = 100'000;

struct Sample {
  int64_t number;
  BlockTime time;
  double unitCycles; // of the unit that is longest
};

class Predictor {
public:
  Predictor(const Work &work, const CodeResources &resources, const Launch &launch, const Gpu &gpu)
      : work(work), resources(resources), launch(launch), gpu(gpu) {}

  Prediction predict() {
    result.device = gpu.product.name;
    result.dramBandwidth = gpu.product.dramBytes;
    result.isEstimate = resources.isEstimate;
    findBlocks();
    if (result.blocks == 0 || result.occupancy.blocks == 0)
      return std::move(result);
    result.slots = int64_t(result.occupancy.blocks) * gpu.product.multiprocessors;
    result.waves = double(result.blocks) / result.slots;
    sampleBlocks();
    traffic = countTraffic(work, gpu.product.l2Capacity * gpu.constants.l2Share, launch, extents, result.slots);
    result.isTrafficComplete = traffic.isComplete;
    result.dramBytes = traffic.dramRead + traffic.dramWritten;
    combine();
    return std::move(result);
  }

private:
  void findBlocks() {
    nvidia::BlockNeeds needs{work.threads, resources.registers, resources.sharedBytes};
    result.occupancy = nvidia::computeOccupancy(needs, *gpu.architecture);
    result.blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
    extents = launch.grid;
    if (work.blocksPerSm == 0)
      return;
    result.blocks =
        std::min<int64_t>(result.blocks * work.split, int64_t(work.blocksPerSm) * gpu.product.multiprocessors);
    extents = {result.blocks, 1, 1};
    result.occupancy.blocks = std::min(result.occupancy.blocks, std::max(1u, work.blocksPerSm));
  }

  double norm(ArrayRef<double> terms) const { return predict::norm(terms, gpu.constants.overlap); }

  void sampleBlocks() {
    Evaluator evaluate(work.scalars, launch, extents);
    int64_t count = std::min(sampledBlocks, result.blocks);
    for (int64_t i = 0; i < count; ++i) {
      int64_t number = count == 1 ? 0 : i * (result.blocks - 1) / (count - 1);
      evaluate.enterBlock(number);
      BlockTime time = timeBlock(work, gpu, evaluate);
      auto units = predict::unitCycles(time.amounts, gpu);
      samples.push_back({number, time, *std::max_element(units.begin(), units.end())});
      sum.add(time.amounts, double(result.blocks) / count);
      result.blockCycles += time.cycles / count;
    }
    result.isComplete = sum.isComplete;
    result.l2Bytes = sum.readBytes + sum.writtenBytes;
    result.asked = sum.askedBytes;
    double f32 = sum.instructions[static_cast<unsigned>(Pipe::F32)] * 32;
    result.operations = sum.operations + f32;
    double perCycle = sum.operations > 0 ? sum.operations / std::max(1.0, sum.tensorCycles) : 2.0 * gpu.rates->f32;
    result.peakOperations = perCycle * gpu.product.multiprocessors * hertz();
  }

  double hertz() const { return gpu.product.megahertz * 1e6; }

  // Of a block beside so many others on its multiprocessor.
  double duration(const Sample &sample, double others) const {
    double terms[] = {sample.time.cycles, sample.unitCycles * others};
    return norm(terms);
  }

  // Cycles until the last block is done. Blocks are given to whatever multiprocessor has room, in order.
  double schedule() const {
    auto [least, most] = std::minmax_element(
        samples.begin(), samples.end(), [](const Sample &a, const Sample &b) { return a.time.cycles < b.time.cycles; });
    bool isUniform = most->time.cycles <= 1.05 * least->time.cycles;
    if (!isUniform && result.blocks <= mostScheduled)
      return scheduleEach();
    const Sample &typical = samples[samples.size() / 2];
    Sample mean = typical;
    mean.time.cycles = result.blockCycles;
    mean.unitCycles = 0;
    for (const Sample &sample : samples)
      mean.unitCycles += sample.unitCycles / samples.size();
    int64_t full = result.blocks / result.slots, rest = result.blocks % result.slots;
    double cycles = full * duration(mean, result.occupancy.blocks);
    if (rest)
      cycles += duration(mean, divideCeil(uint64_t(rest), uint64_t(gpu.product.multiprocessors)));
    return cycles;
  }

  double scheduleEach() const {
    double others = std::min<double>(result.occupancy.blocks, double(result.blocks) / gpu.product.multiprocessors);
    std::priority_queue<double, std::vector<double>, std::greater<double>> free;
    for (int64_t slot = 0; slot < std::min(result.slots, result.blocks); ++slot)
      free.push(0);
    double last = 0;
    for (int64_t number = 0; number < result.blocks; ++number) {
      // The sample nearest to it.
      size_t nearest =
          samples.size() == 1
              ? 0
              : std::lround(double(number) * (samples.size() - 1) / std::max<int64_t>(1, result.blocks - 1));
      double end = free.top() + duration(samples[nearest], std::max(1.0, others));
      free.pop();
      free.push(end);
      last = std::max(last, end);
    }
    return last;
  }

  // As it fills the L2 cache, a launch writes back dirty lines that the one before has left there. It leaves a part of
  // its own.
  double writtenBackBytes() const {
    double dirty = gpu.product.l2Capacity * gpu.constants.dirtyShare;
    if (result.dramBytes <= 0 || dirty <= 0)
      return 0;
    return dirty * (1 - std::exp(-result.dramBytes / dirty)) * traffic.dramRead / result.dramBytes;
  }

  void combine() {
    const nvidia::Product &product = gpu.product;
    double dram = (result.dramBytes + writtenBackBytes()) / (product.dramBytes * gpu.constants.dramEfficiency);
    double l2 = result.l2Bytes / (product.l2Bytes * hertz() * gpu.constants.l2Efficiency);
    double blocks = schedule() / hertz();
    double terms[] = {dram, l2, blocks};
    result.seconds = gpu.constants.launchSeconds + norm(terms);

    auto add = [&](StringRef name, double seconds) { result.bounds.push_back({name.str(), seconds}); };
    add("launch", gpu.constants.launchSeconds);
    add("DRAM", dram);
    add("L2", l2);
    // The time that the units of all multiprocessors would need, were they never idle.
    auto units = predict::unitCycles(sum, gpu);
    for (unsigned unit = 0; unit < unitCount; ++unit)
      if (units[unit] > 0)
        add(nameOf(static_cast<Unit>(unit)), units[unit] / product.multiprocessors / hertz());
    add("latency", result.blockCycles * std::ceil(result.waves) / hertz());
    llvm::sort(result.bounds, [](const Bound &a, const Bound &b) { return a.seconds > b.seconds; });
  }

  const Work &work;
  const CodeResources &resources;
  const Launch &launch;
  const Gpu &gpu;
  std::array<int64_t, 3> extents = {};
  std::vector<Sample> samples;
  Amounts sum;
  Traffic traffic;
  Prediction result;
};

} // namespace

double norm(ArrayRef<double> terms, double exponent) {
  double most = *std::max_element(terms.begin(), terms.end()), sum = 0;
  if (most <= 0)
    return 0;
  for (double term : terms)
    sum += std::pow(term / most, exponent);
  return most * std::pow(sum, 1 / exponent);
}

ArrayRef<NamedNumber<Constants>> Constants::fields() {
  static constexpr NamedNumber<Constants> table[] = {
      {"launchSeconds", &Constants::launchSeconds},
      {"blockCycles", &Constants::blockCycles},
      {"dramEfficiency", &Constants::dramEfficiency},
      {"l2Efficiency", &Constants::l2Efficiency},
      {"l2Share", &Constants::l2Share},
      {"dirtyShare", &Constants::dirtyShare},
      {"issueEfficiency", &Constants::issueEfficiency},
      {"tensorEfficiency", &Constants::tensorEfficiency},
      {"latencyScale", &Constants::latencyScale},
      {"overlap", &Constants::overlap},
  };
  return table;
}

Prediction predict(const Work &work, const CodeResources &resources, const Launch &launch, const Gpu &gpu) {
  return Predictor(work, resources, launch, gpu).predict();
}

} // namespace tilewright::predict
