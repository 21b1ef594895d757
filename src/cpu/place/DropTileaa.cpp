// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/DropTileaa.h"

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

static void replaceToken(Operation *op, Value token) {
  OpBuilder builder(op);
  token.replaceAllUsesWith(tileaa::MakeTokenOp::create(builder, op->getLoc()).getResult());
  op->erase();
}

void cpu::dropTokens(func::FuncOp function) {
  function.walk([&](tileaa::LoadViewOp load) { replaceToken(load, load.getResultToken()); });
  function.walk([&](tileaa::StoreViewOp store) { replaceToken(store, store.getResultToken()); });
  function.walk([&](tileaa::PrintOp print) { print.getTokenMutable().clear(); });
  // The accesses that a fence orders are in program order by now.
  function.walk([&](tileaa::FenceOp fence) { replaceToken(fence, fence.getResultToken()); });
  Type i1 = IntegerType::get(function.getContext(), 1);
  function.walk([&](Operation *op) {
    OpBuilder builder(op);
    if (isa<tileaa::MakeTokenOp, tileaa::JoinTokensOp>(op)) {
      op->getResult(0).replaceAllUsesWith(arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1).getResult());
      op->erase();
      return;
    }
    if (auto print = dyn_cast<tileaa::PrintOp>(op)) {
      builder.setInsertionPointAfter(op);
      print.getResultToken().replaceAllUsesWith(arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1).getResult());
      return;
    }
    for (Value result : op->getResults())
      if (isa<tileaa::TokenType>(result.getType()))
        result.setType(i1);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (isa<tileaa::TokenType>(argument.getType()))
            argument.setType(i1);
  });
}

void cpu::dropViews(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (isa<tileaa::ViewDimOp, tileaa::ViewStrideOp, tileaa::ViewBaseOp>(op)) {
      OpBuilder builder(op);
      SmallVector<Value> folded;
      if (succeeded(builder.tryFold(op, folded))) {
        op->replaceAllUsesWith(folded);
        op->erase();
      }
    } else if (auto assume = dyn_cast<tileaa::AssumeDivByOp>(op)) {
      assume.getResult().replaceAllUsesWith(assume.getValue());
      op->erase();
    }
  });
  function.walk([&](tileaa::MakeViewOp view) {
    if (view.use_empty())
      view.erase();
  });
}
