// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Block.h"

#include "llvm/ADT/DenseMap.h"
#include <deque>

using namespace llvm;

namespace tilewright::predict {
namespace {

// When the first and the last of a tile's values are there: work on a tile begins with the first.
struct Ready {
  double first = 0, last = 0;
};

class WarpClock {
public:
  WarpClock(const Work &work, const Gpu &gpu, Evaluator &evaluate)
      : work(work), gpu(gpu), rates(*gpu.rates), evaluate(evaluate), ready(work.values) {
    for (const Pipeline &pipeline : work.pipelines)
      rings.push_back({pipeline, 0, 0, {}});
  }

  void run(const Region &region) {
    for (const Step &step : region.steps)
      run(step);
  }
  // When all is done.
  double end() const {
    double last = std::max(now, tensorFree);
    for (double free : pipeFree)
      last = std::max(last, free);
    return last;
  }
  // Cycles that a producer, which nothing keeps waiting, needs for each stage of a ring.
  void setFillCycles(const DenseMap<unsigned, double> &cycles) {
    for (auto [ring, each] : cycles)
      rings[ring].fillCycles = each;
  }
  const DenseMap<unsigned, double> &fills() const { return fillCount; }

private:
  struct Ring {
    Pipeline pipeline;
    double fillCycles = 0, lastReady = 0;
    std::deque<double> releases; // of the last stages
    unsigned waits = 0;
  };

  double globalLatency() const { return rates.globalLatency * gpu.constants.latencyScale; }
  // Between L2 and the multiprocessor.
  double transferCycles(double bytes) const { return bytes / rates.l2Bytes / gpu.constants.l2Efficiency; }
  double cyclesOf(Pipe pipe) const {
    auto at = [](unsigned rate) { return std::max(1.0, 32.0 * 4 / rate); };
    switch (pipe) {
    case Pipe::F32:
      return at(rates.f32);
    case Pipe::F64:
      return at(rates.f64);
    case Pipe::Integer:
      return at(rates.integer);
    case Pipe::Compare:
      return at(rates.compare);
    case Pipe::Convert:
      return at(rates.convert);
    case Pipe::Special:
      return at(rates.special);
    case Pipe::Shuffle:
      return at(rates.shuffle);
    case Pipe::Memory:
    case Pipe::Other:
    case Pipe::Divide:
    case Pipe::Store:
    case Pipe::Gather:
      return 1;
    }
    llvm_unreachable("all pipes are listed");
  }

  Ready operands(const Step &step) const {
    Ready of;
    for (unsigned value : step.uses) {
      of.first = std::max(of.first, ready[value].first);
      of.last = std::max(of.last, ready[value].last);
    }
    return of;
  }
  void give(const Step &step, double first, double last) {
    if (step.result != noValue)
      ready[step.result] = {first, std::max(first, last)};
  }

  // Issues the instructions of a step; gives when the last one's result is there.
  double issue(const Step &step) {
    double slots = 0, last = now;
    for (unsigned pipe = 0; pipe < pipeCount; ++pipe) {
      double count = step.instructions[pipe];
      if (count == 0)
        continue;
      slots += count;
      pipeFree[pipe] = std::max(pipeFree[pipe], now) + count * cyclesOf(static_cast<Pipe>(pipe));
      last = std::max(last, pipeFree[pipe] +
                                (static_cast<Pipe>(pipe) == Pipe::Special ? rates.specialLatency : rates.aluLatency));
    }
    now += slots / gpu.constants.issueEfficiency;
    return std::max(now, last);
  }

  double waitsOf(const Step &step) const {
    return step.shuffleWaits * (rates.shuffleLatency + rates.aluLatency) + step.sharedWaits * rates.sharedLatency +
           step.barriers * rates.sharedLatency;
  }

  void run(const Step &step) {
    switch (step.kind) {
    case Step::Kind::Compute: {
      Ready needed = operands(step);
      // A barrier, or a walk over all values, needs them all.
      bool waits = step.shuffleWaits + step.sharedWaits + step.barriers > 0;
      now = std::max(now, step.barriers > 0 ? needed.last : needed.first);
      double start = now, last = std::max(issue(step), needed.last + rates.aluLatency);
      double shared = step.sharedCycles * 4; // where the other warps do the same
      if (step.barriers > 0)
        now = std::max(now, last);
      last += shared + waitsOf(step);
      if (step.barriers > 0)
        now = std::max(now, last);
      give(step, waits ? last : start + rates.aluLatency, last);
      return;
    }
    case Step::Kind::Access:
      return runAccess(step);
    case Step::Kind::Product: {
      now = std::max(now, operands(step).last);
      issue(step);
      double parts = std::max(1.0, step.parts), rate = tensorRate(step.type, rates);
      tensorFree = std::max(tensorFree, now) + step.operations / parts / rate / gpu.constants.tensorEfficiency;
      double done = tensorFree + rates.tensorLatency;
      products.push_back(done);
      give(step, done, done);
      if (!step.isRunning)
        now = std::max(now, done);
      return;
    }
    case Step::Kind::ProductWait:
      if (products.size() > step.index)
        now = std::max(now, products[products.size() - 1 - step.index]);
      give(step, std::max(now, operands(step).last), now);
      return;
    case Step::Kind::Barrier:
      now += rates.sharedLatency;
      return;
    case Step::Kind::Commit:
      groups.push_back(copied);
      return;
    case Step::Kind::GroupWait:
      if (groups.size() > step.index)
        now = std::max(now, groups[groups.size() - 1 - step.index]);
      now += rates.sharedLatency;
      return;
    case Step::Kind::StoreWait:
      if (stores.size() > step.index)
        now = std::max(now, stores[stores.size() - 1 - step.index]);
      now += rates.sharedLatency;
      return;
    case Step::Kind::Acquire:
      now += rates.sharedLatency / 2.0;
      return;
    case Step::Kind::Full:
      ++fillCount[step.index];
      now += 4;
      return;
    case Step::Kind::Wait:
      return waitForStage(rings[step.index]);
    case Step::Kind::Release:
      rings[step.index].releases.push_back(now);
      return;
    case Step::Kind::Loop:
      return runLoop(step);
    case Step::Kind::Branch:
      return runBranch(step);
    }
  }

  void runAccess(const Step &step) {
    const Access &access = work.accesses[step.index];
    now = std::max(now, access.way == Access::Way::Tma ? now : operands(step).last);
    issue(step);
    double transfer = transferCycles(tileOf(access, evaluate).sectorBytes * fetchedPart(access, evaluate));
    if (access.isWritten && !access.isRead) {
      if (access.way == Access::Way::Tma)
        stores.push_back(now + transfer + rates.l2Latency);
      return;
    }
    loaded = std::max(loaded, now) + transfer;
    double there = std::max(loaded, now + globalLatency());
    copied = std::max(copied, there);
    give(step, there, there);
  }

  // A stage is full when it was empty, the producer came to it, and its bytes have come.
  void waitForStage(Ring &ring) {
    double bytes = ring.pipeline.stageBytes;
    for (auto [access, ofAccess] : ring.pipeline.shared)
      bytes -= ofAccess * (1 - fetchedPart(work.accesses[access], evaluate));
    double transfer = transferCycles(bytes), emptied = 0;
    if (ring.releases.size() >= ring.pipeline.stages)
      emptied = ring.releases[ring.releases.size() - ring.pipeline.stages];
    while (ring.releases.size() > ring.pipeline.stages)
      ring.releases.pop_front();
    ring.lastReady =
        std::max(ring.lastReady + std::max(ring.fillCycles, transfer), emptied + (globalLatency() + transfer));
    now = std::max(now + rates.sharedLatency, ring.lastReady);
    ++ring.waits;
  }

  void shift(double cycles) {
    now += cycles;
    tensorFree += cycles;
    loaded += cycles;
    copied += cycles;
    for (double &free : pipeFree)
      free += cycles;
    for (auto *list : {&products, &groups, &stores})
      for (double &time : *list)
        time += cycles;
    for (Ready &value : ready)
      value = {value.first + cycles, value.last + cycles};
    for (Ring &ring : rings) {
      ring.lastReady += cycles;
      for (double &time : ring.releases)
        time += cycles;
    }
  }

  void runLoop(const Step &loop) {
    int64_t trips = tripsOf(loop, evaluate).value_or(1);
    const Region &body = work.regions[loop.regions[0]];
    bool isNest = any_of(body.steps, [](const Step &inner) { return !inner.regions.empty(); });
    unsigned deepest = 2;
    for (const Ring &ring : rings)
      deepest = std::max(deepest, ring.pipeline.stages);
    int64_t simulated = std::min<int64_t>(trips, isNest ? 3 : 3 + deepest);
    for (const Step::Carried &each : loop.carried)
      ready[each.argument] = ready[each.initial];
    double before = now;
    DenseMap<unsigned, double> fillsBefore;
    for (int64_t number = 0; number < simulated; ++number) {
      // The last ones are looked at in the middle of the loop, where loops inside of it are as long as most.
      int64_t at = isNest && trips > simulated ? number * (trips - 1) / std::max<int64_t>(1, simulated - 1) : number;
      enterIteration(loop, at, evaluate);
      if (!isNest || number + 1 < simulated || simulated == 1)
        before = now;
      fillsBefore = fillCount;
      run(body);
      for (const Step::Carried &each : loop.carried)
        ready[each.argument] = ready[each.yielded];
    }
    if (simulated < trips) {
      double rest = trips - simulated;
      double each = now - before;
      if (isNest && simulated > 1)
        each = (now - before) / 2;
      shift(rest * each);
      for (auto [ring, count] : fillCount)
        fillCount[ring] += rest * (count - fillsBefore.lookup(ring));
    }
    for (const Step::Carried &each : loop.carried)
      ready[each.result] = trips > 0 ? ready[each.argument] : ready[each.initial];
  }

  void runBranch(const Step &branch) {
    ScalarValue condition = evaluate(branch.first);
    // Of an unknown condition the first region.
    size_t taken = condition.isKnown && !condition.number ? 1 : 0;
    if (taken < branch.regions.size())
      run(work.regions[branch.regions[taken]]);
    double all = now;
    for (const Step::Carried &each : branch.carried)
      ready[each.result] = each.yielded == noValue ? Ready{all, all} : ready[each.yielded];
  }

  const Work &work;
  const Gpu &gpu;
  const nvidia::Performance &rates;
  Evaluator &evaluate;
  double now = 0, tensorFree = 0, loaded = 0, copied = 0;
  std::array<double, pipeCount> pipeFree = {};
  std::vector<double> products, groups, stores;
  std::vector<Ready> ready;
  std::vector<Ring> rings;
  DenseMap<unsigned, double> fillCount;
};

} // namespace

BlockTime timeBlock(const Work &work, const Gpu &gpu, Evaluator &evaluate) {
  BlockTime time;
  time.amounts = amountsOf(work, gpu, evaluate);
  DenseMap<unsigned, double> fillCycles;
  if (work.agents.size() > 1) {
    WarpClock producer(work, gpu, evaluate);
    producer.run(work.regions[work.agents[1].region]);
    for (auto [ring, count] : producer.fills())
      fillCycles[ring] = producer.end() / count;
    time.cycles = producer.end();
  }
  WarpClock worker(work, gpu, evaluate);
  worker.setFillCycles(fillCycles);
  worker.run(work.regions[work.agents[0].region]);
  time.cycles = std::max(time.cycles, worker.end()) + gpu.constants.blockCycles;
  return time;
}

} // namespace tilewright::predict
