// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Block.h"

#include "predict/Control.h"

using namespace llvm;

namespace tilewright::predict {
namespace {

class Walk {
public:
  Walk(const Work &work, const Gpu &gpu, Evaluator &evaluate) : work(work), gpu(gpu), evaluate(evaluate) {}

  Amounts of(const Region &region, unsigned warps) {
    Amounts sum;
    auto inner = [&](const Region &region) { return of(region, warps); };
    for (const Step &step : region.steps) {
      if (step.kind == Step::Kind::Loop)
        addLoop(work, step, evaluate, sum, inner);
      else if (step.kind == Step::Kind::Branch)
        addBranch(work, step, evaluate, sum, inner);
      else
        sum.add(ofStep(step, warps), 1);
    }
    return sum;
  }

private:
  Amounts ofStep(const Step &step, unsigned warps) {
    Amounts amounts;
    for (unsigned pipe = 0; pipe < pipeCount; ++pipe)
      amounts.instructions[pipe] = step.instructions[pipe] * warps;
    amounts.sharedCycles = step.sharedCycles * warps;
    if (step.kind == Step::Kind::Product) {
      amounts.tensorCycles = step.operations / tensorRate(step.type, *gpu.rates);
      amounts.operations = step.operations;
    }
    if (step.kind == Step::Kind::Access) {
      const Access &access = work.accesses[step.index];
      Tile tile = tileOf(access, evaluate);
      amounts.readBytes = access.isRead ? tile.sectorBytes * fetchedPart(access, evaluate) : 0;
      amounts.writtenBytes = access.isWritten ? tile.sectorBytes : 0;
      amounts.askedBytes = tile.bytes * (access.isRead + access.isWritten);
      amounts.lineCycles = access.requests * access.lines * warps;
    }
    return amounts;
  }

  const Work &work;
  const Gpu &gpu;
  Evaluator &evaluate;
};

} // namespace

double tensorRate(ProductType type, const nvidia::Performance &rates) {
  switch (type) {
  case ProductType::Bits16:
    return rates.tensor;
  case ProductType::Bits8:
    return rates.tensor8;
  case ProductType::Tf32:
    return rates.tensorTf32;
  case ProductType::F64:
    return rates.tensorF64;
  case ProductType::F32:
    return 2.0 * rates.f32;
  }
  llvm_unreachable("all types are listed");
}

StringRef nameOf(Unit unit) {
  static constexpr StringLiteral names[] = {"issue slots",   "f32 units",         "f64 units",
                                            "integer units", "special functions", "warp shuffles",
                                            "shared memory", "tensor cores",      "L2 to multiprocessor"};
  static_assert(std::size(names) == unitCount);
  return names[static_cast<unsigned>(unit)];
}

void Amounts::add(const Amounts &other, double times) {
  for (unsigned pipe = 0; pipe < pipeCount; ++pipe)
    instructions[pipe] += times * other.instructions[pipe];
  sharedCycles += times * other.sharedCycles;
  lineCycles += times * other.lineCycles;
  tensorCycles += times * other.tensorCycles;
  readBytes += times * other.readBytes;
  writtenBytes += times * other.writtenBytes;
  askedBytes += times * other.askedBytes;
  operations += times * other.operations;
  isComplete &= other.isComplete;
}

std::array<double, unitCount> unitCycles(const Amounts &amounts, const Gpu &gpu) {
  const nvidia::Performance &rates = *gpu.rates;
  const Constants &constants = gpu.constants;
  auto of = [&](Pipe pipe) { return amounts.instructions[static_cast<unsigned>(pipe)]; };
  double all = 0;
  for (double count : amounts.instructions)
    all += count;
  std::array<double, unitCount> cycles = {};
  auto set = [&](Unit unit, double value, double efficiency) {
    cycles[static_cast<unsigned>(unit)] = value / efficiency;
  };
  // Each of the four schedulers issues an instruction per cycle.
  set(Unit::Issue, all / 4, constants.issueEfficiency);
  set(Unit::F32, of(Pipe::F32) * 32 / rates.f32, constants.issueEfficiency);
  set(Unit::F64, of(Pipe::F64) * 32 / rates.f64, constants.issueEfficiency);
  set(Unit::Integer, of(Pipe::Integer) * 32 / rates.integer + of(Pipe::Compare) * 32 / rates.compare,
      constants.issueEfficiency);
  set(Unit::Special, of(Pipe::Special) * 32 / rates.special + of(Pipe::Convert) * 32 / rates.convert,
      constants.issueEfficiency);
  set(Unit::Shuffle, of(Pipe::Shuffle) * 32 / rates.shuffle, constants.issueEfficiency);
  set(Unit::Shared, amounts.sharedCycles + amounts.lineCycles, constants.issueEfficiency);
  set(Unit::Tensor, amounts.tensorCycles, constants.tensorEfficiency);
  set(Unit::L2Port, (amounts.readBytes + amounts.writtenBytes) / rates.l2Bytes, constants.l2Efficiency);
  return cycles;
}

Amounts amountsOf(const Work &work, const Gpu &gpu, Evaluator &evaluate) {
  Amounts sum;
  for (const Agent &agent : work.agents)
    sum.add(Walk(work, gpu, evaluate).of(work.regions[agent.region], agent.warps), 1);
  return sum;
}

} // namespace tilewright::predict
