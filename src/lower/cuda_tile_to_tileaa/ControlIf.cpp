// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/cuda_tile_to_tileaa/ControlFrame.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::control;

/// Emits a block, or nothing but a yield for an absent one, as a region of an scf operation.
static void emitRegion(Region &source, Region &target, const Frame &frame, Location loc, OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  if (target.empty())
    builder.createBlock(&target);
  else
    builder.setInsertionPointToEnd(&target.front());
  SmallVector<Value> values =
      source.empty() ? frame.leave(builder, loc, Yield, {}) : emitBlock(source.front(), frame, builder);
  scf::YieldOp::create(builder, loc, values);
}

static scf::IfOp emitBranches(ct::IfOp op, const Frame &frame, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value condition = toScalar(builder, loc, op.getCondition());
  bool hasElse = !frame.types.empty() || !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(builder, loc, frame.types, condition, /*addThenBlock=*/true, hasElse);
  for (Region &region : branch->getRegions())
    for (Block &block : region)
      dropOps(block);
  emitRegion(op.getThenRegion(), branch.getThenRegion(), frame, loc, builder);
  if (hasElse)
    emitRegion(op.getElseRegion(), branch.getElseRegion(), frame, loc, builder);
  return branch;
}

// An `if` without jumps stays one.
static void emitPlain(ct::IfOp op, OpBuilder &builder) {
  scf::IfOp branch = emitBranches(op, Frame::yielding(op->getResultTypes()), builder);
  replaceResults(op, branch.getResults());
  op.erase();
}

// Both branches go on, and one may jump: the `if` gives a flag, its results and the values of the frame.
static FrameValues emitWithFlag(ct::IfOp op, Block &rest, const Frame &frame, OpBuilder &builder) {
  Location loc = op.getLoc();
  size_t numResults = op->getNumResults();
  SmallVector<Type> resultTypes(op->getResultTypes());
  Frame inner;
  inner.types.push_back(builder.getI1Type());
  llvm::append_range(inner.types, resultTypes);
  llvm::append_range(inner.types, frame.types);
  inner.leave = [&](OpBuilder &b, Location at, Exit exit, ValueRange values) {
    SmallVector<Value> all{makeFlag(b, at, exit == Yield)};
    if (exit == Yield) {
      llvm::append_range(all, values);
      appendPoison(b, at, frame.types, all);
    } else {
      appendPoison(b, at, resultTypes, all);
      llvm::append_range(all, frame.leave(b, at, exit, values));
    }
    return all;
  };
  scf::IfOp branch = emitBranches(op, inner, builder);
  replaceResults(op, branch.getResults().slice(1, numResults));
  op.erase();
  return emitGuarded(branch.getResult(0), rest, frame, loc, builder,
                     [&](OpBuilder &) { return SmallVector<Value>(branch.getResults().drop_front(1 + numResults)); });
}

// The code after an `if` moves into its only branch that goes on.
static void moveInto(Region &region, ct::IfOp op, Block &rest) {
  Block &tail = region.empty() ? region.emplaceBlock() : region.front();
  if (!tail.empty()) {
    Operation *yield = tail.getTerminator();
    replaceResults(op, yield->getOperands());
    yield->erase();
  }
  // The `if` itself is no longer in `rest`.
  tail.getOperations().splice(tail.end(), rest.getOperations());
}

FrameValues control::emitIf(ct::IfOp op, Block &rest, const Frame &frame, OpBuilder &builder) {
  if ((findExits(op.getThenRegion()) | findExits(op.getElseRegion())) == Yield) {
    emitPlain(op, builder);
    return std::nullopt;
  }
  SmallVector<Region *> continuing;
  for (Region &region : op->getRegions())
    if (region.empty() || exitOf(region.front().getTerminator()) == Yield)
      continuing.push_back(&region);
  if (continuing.size() == 2)
    return emitWithFlag(op, rest, frame, builder);
  if (continuing.empty())
    dropOps(rest); // nothing after the `if` is reached
  else
    moveInto(*continuing.front(), op, rest);
  scf::IfOp branch = emitBranches(op, frame, builder);
  op.erase();
  return SmallVector<Value>(branch.getResults());
}
