// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/CpuBlock.h"

#include "predict/Control.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::predict {

StringRef nameOf(CpuUnit unit) {
  static constexpr StringLiteral names[] = {"vector units", "special functions", "matrix units", "loads and stores"};
  static_assert(std::size(names) == cpuUnitCount);
  return names[static_cast<unsigned>(unit)];
}

void CpuBlock::add(const CpuBlock &other, double times) {
  seconds += times * other.seconds;
  for (unsigned unit = 0; unit < cpuUnitCount; ++unit)
    cycles[unit] += times * other.cycles[unit];
  arrays.add(other.arrays, times);
  askedBytes += times * other.askedBytes;
  scratchBytes += times * other.scratchBytes;
  operations += times * other.operations;
  products += times * other.products;
  isComplete &= other.isComplete;
}

double productRate(ProductType type, const CpuPerformance &rates) {
  double f32 = 2 * rates.arithmetic * rates.vectorBits / 32;
  switch (type) {
  case ProductType::F32:
  case ProductType::Tf32:
    return f32;
  case ProductType::F64:
    return f32 / 2;
  case ProductType::Bits16:
    return 2 * f32;
  case ProductType::Bits8: // a product and a sum without VNNI
    return 2 * f32 * (rates.hasPairs ? 1 : std::min(1.0, rates.issue / (2 * rates.arithmetic)));
  }
  llvm_unreachable("all types are listed");
}

static double count(const Step &step, Pipe pipe) {
  return step.instructions[static_cast<unsigned>(pipe)];
}

static double portCycles(const Step &step, const CpuPerformance &rates) {
  return std::max(count(step, Pipe::Memory) / rates.loads, count(step, Pipe::Store) / rates.stores);
}

static double vectorCycles(const Step &step, const CpuPerformance &rates) {
  double arithmetic =
      count(step, Pipe::F32) + count(step, Pipe::F64) + count(step, Pipe::Compare) + count(step, Pipe::Special);
  double integer = count(step, Pipe::Integer), shuffle = count(step, Pipe::Shuffle);
  double convert = count(step, Pipe::Convert), all = arithmetic + integer + shuffle + convert;
  // Divisions occupy a port that the others need.
  double divisions = count(step, Pipe::Divide) * rates.divideCycles;
  return std::max({all / rates.issue + divisions, arithmetic / rates.arithmetic, integer / rates.integer,
                   shuffle / rates.shuffle, convert / rates.convert, count(step, Pipe::Gather) * rates.gatherCycles});
}

static double countAll(const Step &step) {
  return std::accumulate(step.instructions.begin(), step.instructions.end(), 0.0);
}

// Of the instructions until the next chain that does not wait for this one: those of a row, or of a short block.
static double shareOfWaiting(const Step &step, const Cpu &cpu, double ofBlock) {
  double ofRow = countAll(step) / std::max(1.0, step.rows);
  return std::min(1.0, std::min(ofRow, ofBlock) / cpu.constants.windowInstructions);
}

// Loops and products are longer than any window.
static double countInstructions(const Region &region) {
  double count = 0;
  for (const Step &step : region.steps)
    count += step.kind == Step::Kind::Compute || step.kind == Step::Kind::Access
                 ? countAll(step)
                 : std::numeric_limits<double>::infinity();
  return count;
}

double instructionCycles(const Step &step, const Cpu &cpu, double ofBlock, unsigned joined) {
  const CpuPerformance &rates = *cpu.rates;
  double busy = std::max(vectorCycles(step, rates), portCycles(step, rates)) / cpu.constants.vectorEfficiency;
  busy *= cpu.hertz() / cpu.unitHertz();
  double cycles = std::max(busy, step.chain * rates.latency * shareOfWaiting(step, cpu, ofBlock)) +
                  step.rows * cpu.constants.rowCycles;
  return cycles > 0 ? cycles + cpu.constants.loopCycles / joined : 0;
}

double CpuBlockTimer::productShare(const Step &step, Evaluator &evaluate) const {
  double share = 1;
  for (const Step::Limit &limit : step.limits) {
    const Access &access = work.accesses[limit.access];
    int64_t extent = access.extents[limit.dim], inside = insideOf(access, limit.dim, evaluate);
    share *= std::min(1.0, double(alignTo(inside, limit.granule)) / extent);
  }
  return share;
}

double CpuBlockTimer::secondsOf(const Phase &phase) const {
  double l2 = (phase.bytes.cached + phase.scratch) / cpu.l2PerThread();
  double l3 = phase.bytes.cached * sources.beyondL2 / cpu.l3PerThread();
  double dram = phase.bytes.cached * sources.dram / cpu.dramPerThread() + phase.bytes.streamed / cpu.streamPerThread();
  return phase.times * cpu.norm(phase.cycles / cpu.hertz(), cpu.norm(std::max(l2, l3), dram));
}

static bool isPartial(const Access &access, Evaluator &evaluate) {
  for (unsigned dim = 0; dim < access.extents.size(); ++dim)
    if (insideOf(access, dim, evaluate) < access.extents[dim])
      return true;
  return false;
}

bool isStreamed(const Access &access, Evaluator &evaluate) {
  return access.isWritten && !access.isRead && access.streamBytes > 0 &&
         arrayBytesOf(access, evaluate).value_or(0) >= access.streamBytes;
}

Bytes CpuBlockTimer::bytesOf(const Access &access, const Tile &tile, Evaluator &evaluate) const {
  if (isStreamed(access, evaluate))
    return {0, tile.ownBytes};
  return {tile.ownBytes * (access.isWritten ? 2 : 1), 0};
}

void CpuBlockTimer::addAccess(const Step &step, std::vector<Phase> &phases, CpuBlock &sum, Evaluator &evaluate) {
  const Access &access = work.accesses[step.index];
  Tile tile = tileOf(access, evaluate);
  Phase phase;
  phase.bytes = bytesOf(access, tile, evaluate);
  sum.arrays.add(phase.bytes);
  sum.askedBytes += tile.bytes * (access.isRead + access.isWritten);
  // A tile that is not all inside of the array is copied, with padding around it.
  if (!access.isRead || isPartial(access, evaluate)) {
    phase.cycles =
        instructionCycles(step, cpu, instructions, work.joined) * (access.isRead ? cpu.constants.edgeFactor : 1);
    sum.cycles[static_cast<unsigned>(CpuUnit::Ports)] += portCycles(step, *cpu.rates);
    sum.cycles[static_cast<unsigned>(CpuUnit::Vector)] += vectorCycles(step, *cpu.rates);
  }
  if (access.isRead && step.result != noValue) {
    if (phase.cycles > 0)
      phases.push_back(phase);
    else
      loaded[step.result].add(phase.bytes);
    return;
  }
  // A store is part of the loop that computes the tile, or a copy of it.
  takeLoaded(step, phase);
  if (phase.cycles == 0)
    for (unsigned value : step.uses)
      if (auto found = producer.find(value); found != producer.end())
        return phases[found->second].bytes.add(phase.bytes);
  phases.push_back(phase);
}

void CpuBlockTimer::takeLoaded(const Step &step, Phase &phase) {
  for (unsigned value : step.uses)
    if (auto found = loaded.find(value); found != loaded.end())
      phase.bytes.add(std::exchange(found->second, Bytes()));
}

void CpuBlockTimer::addStep(const Step &step, std::vector<Phase> &phases, CpuBlock &sum, Evaluator &evaluate) {
  Phase phase;
  phase.cycles = instructionCycles(step, cpu, instructions, work.joined);
  if (step.kept)
    phase.times = kept.lookup_or(*step.kept, 1);
  auto add = [&](CpuUnit unit, double cycles) { sum.cycles[static_cast<unsigned>(unit)] += phase.times * cycles; };
  add(CpuUnit::Vector, vectorCycles(step, *cpu.rates));
  add(CpuUnit::Special, count(step, Pipe::Special) / cpu.rates->arithmetic);
  add(CpuUnit::Ports, portCycles(step, *cpu.rates));
  double lanes = cpu.rates->vectorBits / 32.0;
  sum.operations += phase.times * (count(step, Pipe::F32) + count(step, Pipe::Special)) * lanes;
  if (step.kind == Step::Kind::Product) {
    double operations = step.operations * productShare(step, evaluate);
    double cycles = operations / productRate(step.type, *cpu.rates);
    add(CpuUnit::Matrix, cycles);
    sum.products += operations;
    cycles *= cpu.hertz() / cpu.unitHertz();
    phase.cycles = std::max(phase.cycles, cycles / cpu.constants.productEfficiency);
  }
  takeLoaded(step, phase);
  // Tiles that do not stay in the first cache come from the second each time.
  if (step.tileBytes > cpu.machine.l1Bytes * cpu.constants.l1Share)
    phase.scratch = std::max(0.0, step.tileBytes - phase.bytes.cached);
  sum.scratchBytes += phase.times * phase.scratch;
  if (step.result != noValue)
    producer[step.result] = phases.size();
  phases.push_back(phase);
}

CpuBlock CpuBlockTimer::timeRegion(const Region &region, Evaluator &evaluate) {
  CpuBlock sum;
  std::vector<Phase> phases;
  auto outer = std::exchange(producer, DenseMap<unsigned, size_t>());
  auto inner = [&](const Region &region) { return timeRegion(region, evaluate); };
  for (const Step &step : region.steps) {
    if (step.kind == Step::Kind::Loop)
      addLoop(work, step, evaluate, sum, inner);
    else if (step.kind == Step::Kind::Branch)
      addBranch(work, step, evaluate, sum, inner);
    else if (step.kind == Step::Kind::Access)
      addAccess(step, phases, sum, evaluate);
    else
      addStep(step, phases, sum, evaluate);
  }
  producer = std::move(outer);
  for (const Phase &phase : phases)
    sum.seconds += secondsOf(phase);
  return sum;
}

CpuBlock CpuBlockTimer::time(Evaluator &evaluate) {
  loaded.clear();
  const Region &body = work.regions[work.agents[0].region];
  instructions = countInstructions(body);
  CpuBlock block = timeRegion(body, evaluate);
  Phase rest; // of loads that no loop uses
  for (auto [value, bytes] : loaded)
    rest.bytes.add(bytes);
  block.seconds += secondsOf(rest);
  block.seconds += cpu.constants.blockCycles / work.joined / cpu.hertz();
  return block;
}

} // namespace tilewright::predict
