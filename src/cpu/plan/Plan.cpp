// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/Plan.h"
#include "cpu/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUPLAN
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

// The one list of what a plan says; reading and writing follow it.
static constexpr std::pair<StringLiteral, int64_t Plan::*> numbers[] = {
    {"vector_bits", &Plan::vectorBits},
    {"micro_tile_m", &Plan::microTileM},
    {"micro_tile_n", &Plan::microTileN},
    {"loop_vectors", &Plan::loopVectors},
    {"depth", &Plan::depth},
    {"prefetch_tiles", &Plan::prefetchTiles},
    {"stream_bytes", &Plan::streamBytes},
    {"kept_bytes", &Plan::keptBytes},
};

Plan Plan::forMachine(const Machine &machine) {
  Plan plan;
  plan.vectorBits = machine.vectorBits;
  plan.microTileM = machine.microTileM;
  plan.microTileN = machine.microTileN;
  // With 16 registers four vectors of everything in a polynomial do not fit.
  plan.loopVectors = machine.numVectorRegisters >= 32 ? 4 : 2;
  // A panel of the right operand, depth x columns in 32 bits, fills two thirds of the first cache.
  plan.depth = llvm::bit_floor<uint64_t>(std::max<int64_t>(64, machine.l1Bytes / (plan.microTileN * 4)));
  plan.streamBytes = machine.l2Bytes;
  // Tiles that do not fit in the second-level cache are still packed and contiguous.
  plan.keptBytes = 2 * machine.l2Bytes;
  plan.pairDot = machine.hasBf16Dot && machine.vectorBits == 512;
  return plan;
}

Plan Plan::of(func::FuncOp function) {
  Plan plan;
  auto written = function->getAttrOfType<DictionaryAttr>("plan");
  if (!written)
    return plan;
  for (auto [name, member] : numbers)
    if (auto value = written.getAs<IntegerAttr>(name))
      plan.*member = value.getInt();
  if (auto value = written.getAs<BoolAttr>("pair_dot"))
    plan.pairDot = value.getValue();
  return plan;
}

void Plan::writeTo(func::FuncOp function) const {
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> entries;
  for (auto [name, member] : numbers)
    entries.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(this->*member)));
  entries.push_back(builder.getNamedAttr("pair_dot", builder.getBoolAttr(pairDot)));
  function->setAttr("plan", builder.getDictionaryAttr(entries));
}

namespace {
struct CpuPlan : tilewright::impl::CpuPlanBase<CpuPlan> {
  using CpuPlanBase::CpuPlanBase;
  void runOnOperation() override {
    if (!getOperation()->hasAttr("tileaa.kernel") || getOperation()->hasAttr("plan"))
      return;
    llvm::Expected<Machine> machine = parseMachine(target);
    if (!machine) {
      getOperation().emitError() << llvm::toString(machine.takeError());
      return signalPassFailure();
    }
    Plan::forMachine(*machine).writeTo(getOperation());
  }
};
} // namespace
