// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/clusters/GuardStores.h"

#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

void tileas::guardStores(scf::ForOp loop, Value condition) {
  SmallVector<Operation *> stores;
  loop.walk([&](Operation *op) {
    if (isa<tileaa::StoreViewOp, tileaa::StorePtrOp>(op))
      stores.push_back(op);
  });
  for (Operation *store : stores) {
    OpBuilder builder(store);
    Location loc = store->getLoc();
    Value after = store->getResult(0);
    auto token =
        llvm::find_if(store->getOperands(), [](Value operand) { return isa<tileaa::TokenType>(operand.getType()); });
    bool isAwaited = !after.use_empty();
    auto branch = scf::IfOp::create(builder, loc, isAwaited ? TypeRange(after.getType()) : TypeRange(), condition,
                                    /*withElseRegion=*/isAwaited);
    if (isAwaited) {
      after.replaceAllUsesWith(branch.getResult(0));
      auto otherwise = branch.getElseBodyBuilder();
      Value before =
          token != store->operand_end() ? Value(*token) : tileaa::MakeTokenOp::create(otherwise, loc).getResult();
      scf::YieldOp::create(otherwise, loc, before);
      auto inside = branch.getThenBodyBuilder();
      scf::YieldOp::create(inside, loc, after);
    }
    store->moveBefore(&branch.thenBlock()->back());
  }
}
