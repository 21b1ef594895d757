// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUCHECKALLOCAS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Follows an address through an iteration of a loop.
class Escape {
public:
  Escape(tileaa::AllocaOp alloca, Operation *loop) : loop(loop) { values.insert(alloca.getAddress()); }

  // The operation with which the address leaves the iteration, if one does.
  Operation *find() {
    for (unsigned next = 0; next < values.size(); ++next)
      for (OpOperand &use : values[next].getUses())
        if (!follow(use))
          return use.getOwner();
    return nullptr;
  }

private:
  static bool isAddressOf(OpOperand &use) {
    Operation *user = use.getOwner();
    return isa<tileaa::LoadPtrOp, tileaa::StorePtrOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp>(user) &&
           use.getOperandNumber() == 0;
  }

  // False where the address gets away; else what is computed from it is looked at next.
  bool follow(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isAddressOf(use) || isa<tileaa::LoadViewOp, tileaa::PrintOp, tileaa::AssertOp>(user))
      return true;
    if (isa<tileaa::StoreViewOp>(user))
      return isa<tileaa::ViewType>(use.get().getType());
    if (user->hasTrait<OpTrait::IsTerminator>())
      return leave(user);
    if (auto inner = dyn_cast<LoopLikeOpInterface>(user)) {
      if (!inner.getTiedLoopRegionIterArg(&use))
        return false;
      values.insert(inner.getTiedLoopRegionIterArg(&use));
    } else if (!isMemoryEffectFree(user) || user->getNumRegions() != 0) {
      return false;
    }
    values.insert_range(user->getResults());
    return true;
  }

  // Out of a branch or an inner loop it goes to that one's results; the results are not distinguished.
  bool leave(Operation *terminator) {
    Operation *parent = terminator->getParentOp();
    if (parent == loop || !loop->isProperAncestor(parent) || isa<scf::WhileOp>(parent))
      return false;
    values.insert_range(parent->getResults());
    if (auto inner = dyn_cast<LoopLikeOpInterface>(parent))
      for (BlockArgument argument : inner.getRegionIterArgs())
        values.insert(argument);
    return true;
  }

  Operation *loop;
  llvm::SetVector<Value> values;
};

struct CpuCheckAllocas : tilewright::impl::CpuCheckAllocasBase<CpuCheckAllocas> {
  void runOnOperation() override {
    getOperation().walk(
        [&](tileaa::AllocaOp alloca) {
          auto loop = alloca->getParentOfType<LoopLikeOpInterface>();
          if (!loop)
            return;
          if (Operation *user = Escape(alloca, loop).find()) {
            InFlightDiagnostic diagnostic =
                emitError(alloca.getLoc())
                << "found an alloca in a loop whose address outlives the iteration, expected no use "
                   "of its memory after the iteration: move the alloca out of the loop";
            diagnostic.attachNote(user->getLoc()) << "the address leaves here";
            signalPassFailure();
          }
        });
    markAllAnalysesPreserved();
  }
};

} // namespace
