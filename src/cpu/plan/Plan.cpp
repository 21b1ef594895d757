// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/plan/BlockSpread.h"

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

// Neighbours share a body where a block by itself leaves the processor waiting. A row of at most one step of a loop
// does not fill it. Longer ones wait for each reduction; the processor goes ahead to the next blocks meanwhile, but not
// far enough if there are several or if the elements are narrow, which takes more instructions. As many blocks as leave
// a quarter of the first cache to what is loaded ahead.
int64_t chooseJoinedBlocks(func::FuncOp kernel, const Plan &plan, const Machine &machine) {
  std::optional<BlockSpread> spread = BlockSpread::of(kernel);
  if (!spread)
    return 1;
  int64_t waits = spread->countReductions();
  bool isShort = spread->longestTile() <= plan.loopVectors * plan.lanes(32);
  if (!isShort && waits < (spread->storesNarrow() ? 1 : 2))
    return 1;
  constexpr int64_t most = 16, least = 8;
  int64_t bytes = std::max<int64_t>(1, spread->bytesOfBlock());
  int64_t blocks = llvm::bit_floor<uint64_t>(machine.l1Bytes * 3 / 4 / bytes);
  return blocks < least ? 1 : std::min(blocks, most);
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
    Plan plan = planFor(*machine);
    plan.joinedBlocks = chooseJoinedBlocks(getOperation(), plan, *machine);
    getOperation()->setAttr(planAttr, PlanAttr::get(&getContext(), plan));
  }
};

} // namespace
