// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/SharedLayouts.h"
#include "tileas/async/Passes.h"
#include "tileas/ir/Tileas.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASWRITETMADESCS
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class WriteTmaDescs : public tilewright::impl::TileasWriteTmaDescsBase<WriteTmaDescs> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<tileas::MakeTmaDescOp> makes;
    function.walk([&](tileas::MakeTmaDescOp make) { makes.push_back(make); });
    if (makes.empty())
      return;
    auto top = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    IRMapping atTop;
    SmallVector<Value> descs;
    for (tileas::MakeTmaDescOp make : makes) {
      moveUp(make.getView(), atTop, top);
      auto moved = cast<tileas::MakeTmaDescOp>(top.clone(*make, atTop));
      auto known = llvm::find_if(descs, [&](Value desc) {
        return OperationEquivalence::isEquivalentTo(desc.getDefiningOp(), moved, OperationEquivalence::IgnoreLocations);
      });
      if (known == descs.end()) {
        descs.push_back(moved.getDesc());
        known = std::prev(descs.end());
      } else {
        moved.erase();
      }
      make.replaceAllUsesWith(*known);
      make.erase();
    }
    // A part besides for which place is the block's.
    int64_t bytes = tileas::tmaDescBytes * int64_t(llvm::PowerOf2Ceil(descs.size() + 1));
    auto layout = tileas::LayoutAttr::get(&getContext(), layout::plainShared(bytes, {0}));
    auto buffer = tileas::BufferType::get(&getContext(), bytes, top.getI8Type(), layout);
    Value scratch = tileas::AllocOp::create(top, loc, buffer, IntegerAttr());
    tileas::WriteTmaDescsOp::create(top, loc, descs, scratch);

    // No thread runs operations after agents: their consumers outlast the producer.
    auto agents = function.getOps<tileas::AgentsOp>();
    auto end = agents.empty() ? OpBuilder(function.getBody().front().getTerminator())
                              : OpBuilder::atBlockEnd(&(*agents.begin()).getConsumer().front());
    tileas::ReleaseTmaDescsOp::create(end, loc, descs);
  }

  // The operands of a view are parameters or constants, behind casts and assumptions.
  static void moveUp(Value value, IRMapping &atTop, OpBuilder &top) {
    Operation *op = value.getDefiningOp();
    if (!op || atTop.contains(value))
      return;
    for (Value operand : op->getOperands())
      moveUp(operand, atTop, top);
    top.clone(*op, atTop);
  }
};

} // namespace
