// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUPLAN
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

Plan planFor(const Machine &machine) {
  Plan plan;
  plan.isa = int64_t(machine.isa);
  plan.vectorBits = machine.vectorBits;
  plan.microTileM = machine.microTileM;
  plan.microTileN = machine.microTileN;
  // With 16 registers four vectors of everything in a polynomial do not fit.
  plan.loopVectors = machine.unit().registers >= 32 ? 4 : 2;
  // A panel of the right operand, depth x columns in 32 bits, fills two thirds of the first cache.
  plan.depth = llvm::bit_floor<uint64_t>(std::max<int64_t>(64, machine.l1Bytes / (plan.microTileN * 4)));
  plan.streamBytes = machine.l2Bytes;
  // Tiles that do not fit in the second-level cache are still packed and contiguous.
  plan.keptBytes = 2 * machine.l2Bytes;
  plan.mmaUnit = int64_t(machine.hasAmx ? MmaUnit::Amx : MmaUnit::Vector);
  plan.pairDot = machine.hasBf16Dot;
  plan.byteWords = machine.isa == Isa::X86 ? 2 : machine.hasByteDot ? 4 : 1;
  return plan;
}

struct CpuPlan : tilewright::impl::CpuPlanBase<CpuPlan> {
  using CpuPlanBase::CpuPlanBase;
  void runOnOperation() override {
    if (!tileaa::isKernel(getOperation()) || planOf(getOperation()))
      return;
    llvm::Expected<Machine> machine = parseMachine(target);
    if (!machine) {
      getOperation().emitError() << llvm::toString(machine.takeError());
      return signalPassFailure();
    }
    getOperation()->setAttr(planAttr, PlanAttr::get(&getContext(), planFor(*machine)));
  }
};

} // namespace
