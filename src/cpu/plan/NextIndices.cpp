// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/NextIndices.h"

#include "cpu/ir/Cpu.h"
#include "cpu/place/ViewAccess.h"
#include "cpu/plan/NextBlock.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;

// The loops of the block that read a tile and load from addresses.
static SmallVector<linalg::GenericOp> loopsByIndex(LoadViewOp load) {
  SmallVector<linalg::GenericOp> loops;
  for (Operation *user : load.getTile().getUsers()) {
    auto loop = dyn_cast<linalg::GenericOp>(user);
    if (loop && loop->getBlock() == load->getBlock() && !llvm::is_contained(loops, loop) &&
        !loop.getBody()->getOps<PtrLoadOp>().empty())
      loops.push_back(loop);
  }
  return loops;
}

static bool areIndices(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getElementType().isInteger() && tile.getElementTypeBitWidth() >= 32 && tile.getNumElements() > 1;
}

void cpu::loadNextIndices(func::FuncOp function, SmallVectorImpl<LoadViewOp> &loads,
                          llvm::function_ref<bool(LoadViewOp)> isWritten) {
  for (LoadViewOp load : llvm::to_vector(loads)) {
    if (!areIndices(load.getTile().getType()) || load->getBlock() != &function.getBody().front() || isWritten(load))
      continue;
    SmallVector<linalg::GenericOp> loops = loopsByIndex(load);
    FailureOr<ViewAccess> access = ViewAccess::of(load);
    if (loops.empty() || failed(access))
      continue;
    OpBuilder builder(load);
    std::optional<ViewAccess> later = access->laterBlock(builder, function, 1);
    if (!later)
      continue;
    auto next = cast<LoadViewOp>(builder.clone(*load));
    next.getOffsetsMutable().assign(later->getOffsets());
    loads.push_back(next);
    for (linalg::GenericOp loop : loops) {
      auto input = llvm::find_if(loop->getOpOperands(), [&](OpOperand &each) { return each.get() == load.getTile(); });
      NextBlock::addFetches(loop, {next.getTile()}, {loop.getMatchingIndexingMap(&*input)});
    }
  }
}
