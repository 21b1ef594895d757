// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/place/ArrayAlias.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUVERIFYLOADS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// The array a buffer lies over: directly, up to an edge, or on one side of the choice between array and scratch.
ArrayOp arrayOf(Value buffer) {
  if (auto array = buffer.getDefiningOp<ArrayOp>())
    return array;
  if (auto edge = buffer.getDefiningOp<EdgeOp>())
    return arrayOf(edge.getSource());
  if (auto choice = buffer.getDefiningOp<scf::IfOp>()) {
    unsigned result = cast<OpResult>(buffer).getResultNumber();
    for (scf::YieldOp yield : {choice.thenYield(), choice.elseYield()})
      if (ArrayOp array = arrayOf(yield.getOperand(result)))
        return array;
  }
  return nullptr;
}

// A loop that only prefetches the tile does not mind what becomes of it.
bool isOnlyFetched(OpOperand &use) {
  auto loop = dyn_cast<linalg::GenericOp>(use.getOwner());
  return loop && loop.isDpsInput(&use) && use.getOperandNumber() >= loop.getNumDpsInputs() - countFetched(loop);
}

struct CpuVerifyLoads : tilewright::impl::CpuVerifyLoadsBase<CpuVerifyLoads> {
  void runOnOperation() override {
    SmallVector<std::pair<Operation *, ArraySet>> writes;
    auto addWrite = [&](Operation *op, Value buffer) {
      if (ArrayOp array = arrayOf(buffer))
        writes.push_back({op, ArraySet::ofArray(array)});
    };
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<CopyOutOp>(op))
        addWrite(op, copy.getDestination());
      if (op->getParentOfType<linalg::GenericOp>())
        return;
      if (std::optional<AddressAccess> access = accessThroughAddress(op); access && access->writes)
        writes.push_back({op, access->arrays});
      if (auto loop = dyn_cast<DestinationStyleOpInterface>(op))
        for (OpOperand &init : loop.getDpsInitsMutable())
          if (auto view = init.get().getDefiningOp<bufferization::ToTensorOp>(); view && view.getWritable())
            addWrite(op, view.getBuffer());
    });
    bool ok = true;
    getOperation().walk([&](bufferization::ToTensorOp tile) {
      ArrayOp array = arrayOf(tile.getBuffer());
      if (!array || tile.getWritable() || llvm::all_of(tile->getUses(), isOnlyFetched))
        return;
      ArraySet arrays = ArraySet::ofArray(array);
      for (auto &[write, written] : writes) {
        if (!written.mayOverlap(arrays))
          continue;
        for (Operation *user : usersOf(tile.getResult()))
          if (mayRunBetween(write, tile, user)) {
            InFlightDiagnostic diagnostic =
                tile.emitOpError("reads a tile in place that may be overwritten before its last use");
            diagnostic.attachNote(write->getLoc()) << "the write";
            diagnostic.attachNote(user->getLoc()) << "the use";
            ok = false;
            break;
          }
      }
    });
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
