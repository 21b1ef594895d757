// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/ir/Tileas.h"
#include "tileas/schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASHOISTLOADS
#include "tileas/schedule/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Registers of a thread that tiles of hoisted loads may take: more would leave fewer CTAs on a multiprocessor, which
// hide the time of loads as well, or spill where the hint `occupancy` limits registers.
int64_t registersForLoads(func::FuncOp function, const nvidia::Architecture &architecture) {
  int64_t threads = tileas::warpsOf(function) * nvidia::Architecture::warpThreads;
  int64_t blocks = std::max<int64_t>(1, tileas::blocksAsked(function, threads, architecture));
  return std::min<int64_t>(32, tileas::registersOfThread(blocks, threads) / 4);
}

// Of a kernel with products, whose sums take most of the registers.
constexpr int64_t registersOverProducts = 8;

bool isTile(Type type) {
  return isa<RankedTensorType>(type);
}

bool isPlainLoad(Operation *op) {
  if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
    return !load.getOrdering();
  return isa<tileaa::LoadViewOp>(op);
}

// A load may move over what reads memory, or writes shared memory only.
bool letsLoadsPass(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions())
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect()) || effect.getResource() == tileas::SharedMemory::get();
  });
}

// Whether it becomes a barrier, or a division with a slow path of its own: ptxas moves no load over either.
bool holdsLoadsBack(Operation *op) {
  return !isMemoryEffectFree(op) || op->getNumRegions() || isa<tileas::ConvertLayoutOp>(op) ||
         isa<arith::DivFOp, arith::RemFOp, math::SqrtOp>(op);
}

// Of addresses and masks.
bool isOfAddress(Operation *op) {
  return isPure(op) && !holdsLoadsBack(op) &&
         (op->hasTrait<OpTrait::ConstantLike>() || llvm::all_of(op->getResultTypes(), [](Type type) {
            return !isTile(type) || getElementTypeOrSelf(type).isIntOrIndex();
          }));
}

int64_t registersOf(Operation *load) {
  auto type = cast<RankedTensorType>(load->getResult(0).getType());
  int64_t count = tileas::layoutOf(type).inputSize(layout::Dim::Register);
  return llvm::divideCeil(count * type.getElementType().getIntOrFloatBitWidth(), 32);
}

// The loads that are issued together in a stretch of operations which all let loads pass: behind its first load, or at
// the begin of a block.
class Stretch {
public:
  explicit Stretch(int64_t mostRegisters) : mostRegisters(mostRegisters) {}
  Stretch(int64_t mostRegisters, Block &begin) : mostRegisters(mostRegisters), begin(&begin) {}

  void add(Operation *load) {
    if (!isTile(load->getResult(0).getType()))
      return;
    int64_t registers = registersOf(load);
    if ((last || begin) && isHeldBack(load)) {
      if (taken + registers > mostRegisters || !move(load))
        return;
    }
    last = load;
    taken += registers;
  }

private:
  bool isHeldBack(Operation *load) const {
    for (Operation *op = last ? last->getNextNode() : &begin->front(); op != load; op = op->getNextNode())
      if (holdsLoadsBack(op) && !isPlainLoad(op))
        return true;
    return false;
  }

  // Behind the last one, with what computes its address.
  bool move(Operation *load) {
    llvm::SetVector<Operation *> needed; // users first
    needed.insert(load);
    for (size_t i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands()) {
        Operation *op = operand.getDefiningOp();
        if (!op || op->getBlock() != load->getBlock() || (last && !last->isBeforeInBlock(op)))
          continue;
        if (!isOfAddress(op))
          return false;
        needed.insert(op);
      }
    auto inOrder = needed.takeVector();
    llvm::sort(inOrder, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : inOrder) {
      if (last)
        op->moveAfter(last);
      else
        op->moveBefore(begin, begin->begin());
      last = op;
    }
    return true;
  }

  int64_t mostRegisters;
  Block *begin = nullptr;
  Operation *last = nullptr;
  int64_t taken = 0;
};

class HoistLoads : public tilewright::impl::TileasHoistLoadsBase<HoistLoads> {
  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture)
      return signalPassFailure();
    bool multiplies = getOperation().walk([](tileas::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (multiplies) {
      getOperation().walk([](scf::ForOp loop) { hoistOverProducts(*loop.getBody()); });
      return;
    }
    int64_t registers = registersForLoads(getOperation(), *architecture);
    getOperation().walk([&](Block *block) { hoist(*block, Stretch(registers), registers); });
  }

  // Loads behind a warpgroup's product begin before it, so that they are on their way while it runs.
  static void hoistOverProducts(Block &body) {
    auto mmas = body.getOps<tileas::MmaOp>();
    if (mmas.empty() || !llvm::all_of(mmas, tileas::isByWarpgroups))
      return;
    hoist(body, Stretch(registersOverProducts, body), registersOverProducts);
  }

  static void hoist(Block &block, Stretch stretch, int64_t registers) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isPlainLoad(&op))
        stretch.add(&op);
      else if (!letsLoadsPass(&op))
        stretch = Stretch(registers);
    }
  }
};

} // namespace
