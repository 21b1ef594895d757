// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/SharedLayouts.h"
#include "tileas/async/Passes.h"
#include "tileas/ir/Tileas.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

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
    // By view and fields: the number of the tensor map.
    llvm::MapVector<std::pair<Value, Attribute>, size_t> maps;
    SmallVector<size_t> numbers;
    IRMapping atTop;
    for (tileas::MakeTmaDescOp make : makes) {
      moveUp(make.getView(), atTop, top);
      std::pair<Value, Attribute> map(atTop.lookupOrDefault<Value>(make.getView()), fieldsOf(make));
      numbers.push_back(maps.try_emplace(map, maps.size()).first->second);
    }
    ResultRange descs = write(llvm::map_to_vector(maps, [](auto &entry) { return entry.first.first; }),
                              llvm::map_to_vector(maps, [](auto &entry) { return entry.first.second; }), top);
    for (auto [make, number] : llvm::zip_equal(makes, numbers)) {
      make.replaceAllUsesWith(descs[number]);
      make.erase();
    }

    // No thread runs operations after agents: their consumers outlast the producer.
    auto agents = function.getOps<tileas::AgentsOp>();
    auto end = agents.empty() ? OpBuilder(function.getBody().front().getTerminator())
                              : OpBuilder::atBlockEnd(&(*agents.begin()).getConsumer().front());
    tileas::ReleaseTmaDescsOp::create(end, function.getLoc(), descs);
  }

  static tileas::TensorMapAttr fieldsOf(tileas::MakeTmaDescOp make) {
    Type element = make.getFormat().value_or(make.getView().getType().getElementType());
    return tileas::TensorMapAttr::get(make.getContext(), make.getBox(), make.getSwizzle(), element, make.getStored());
  }

  ResultRange write(ArrayRef<Value> views, ArrayRef<Attribute> maps, OpBuilder &top) {
    Location loc = getOperation().getLoc();
    // Besides the maps, where they lie in global memory.
    int64_t bytes = llvm::PowerOf2Ceil(maps.size() * (tileas::tmaDescBytes + sizeof(int64_t)));
    auto layout = tileas::LayoutAttr::get(&getContext(), layout::plainShared(bytes, {0}));
    auto buffer = tileas::BufferType::get(&getContext(), bytes, top.getI8Type(), layout);
    Value scratch = tileas::AllocOp::create(top, loc, buffer, IntegerAttr());
    SmallVector<Type> descs(maps.size(), tileas::TmaDescType::get(&getContext()));
    return tileas::WriteTmaDescsOp::create(top, loc, descs, views, top.getArrayAttr(maps), scratch).getDescs();
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
