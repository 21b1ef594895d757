// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/cuda_tile_to_tileaa/ControlFrame.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::control;

Frame Frame::yielding(TypeRange types) {
  return {SmallVector<Type>(types),
          [](OpBuilder &, Location, Exit, ValueRange values) { return SmallVector<Value>(values); }};
}

Exit control::exitOf(Operation *terminator) {
  if (isa<ct::BreakOp>(terminator))
    return Break;
  if (isa<ct::ContinueOp>(terminator))
    return Continue;
  if (isa<ct::ReturnOp>(terminator))
    return Return;
  return Yield;
}

unsigned control::findExits(Region &region) {
  if (region.empty())
    return Yield;
  unsigned exits = exitOf(region.front().getTerminator());
  for (Operation &op : region.front()) {
    if (auto branch = dyn_cast<ct::IfOp>(op))
      exits |= (findExits(branch.getThenRegion()) | findExits(branch.getElseRegion())) & ~Yield;
    else if (isa<ct::LoopOp>(op))
      exits |= findExits(op.getRegion(0)) & Return;
  }
  return exits;
}

Value control::makeFlag(OpBuilder &builder, Location loc, bool value) {
  return arith::ConstantIntOp::create(builder, loc, value, 1);
}

void control::appendPoison(OpBuilder &builder, Location loc, TypeRange types, SmallVectorImpl<Value> &values) {
  for (Type type : types) {
    if (type.isInteger(1))
      values.push_back(makeFlag(builder, loc, false));
    else
      values.push_back(ub::PoisonOp::create(builder, loc, type));
  }
}

Value control::castScalar(OpBuilder &builder, Location loc, Value value, Type type) {
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

Value control::toScalar(OpBuilder &builder, Location loc, Value value) {
  return castScalar(builder, loc, value, cast<ct::TileType>(value.getType()).getElementType());
}

void control::dropOps(Block &block) {
  while (!block.empty()) {
    block.back().dropAllUses();
    block.back().erase();
  }
}

void control::replaceResults(Operation *op, ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    result.replaceAllUsesWith(value);
}

SmallVector<Value> control::emitGuarded(Value runs, Block &block, const Frame &frame, Location loc, OpBuilder &builder,
                                        function_ref<SmallVector<Value>(OpBuilder &)> otherwise) {
  auto branch = scf::IfOp::create(builder, loc, frame.types, runs, /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (Region &region : branch->getRegions())
    dropOps(region.front());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> values = emitBlock(block, frame, builder);
  scf::YieldOp::create(builder, loc, values);
  builder.setInsertionPointToEnd(branch.elseBlock());
  values = otherwise(builder);
  scf::YieldOp::create(builder, loc, values);
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value> control::emitBlock(Block &block, const Frame &frame, OpBuilder &builder) {
  while (true) {
    Operation *op = &block.front();
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      SmallVector<Value> values = frame.leave(builder, op->getLoc(), exitOf(op), op->getOperands());
      op->erase();
      return values;
    }
    if (!isa<ct::IfOp, ct::ForOp, ct::LoopOp>(op)) {
      op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
      continue;
    }
    op->remove();
    FrameValues values;
    if (auto branch = dyn_cast<ct::IfOp>(op))
      values = emitIf(branch, block, frame, builder);
    else if (auto loop = dyn_cast<ct::LoopOp>(op))
      values = emitLoop(loop, block, frame, builder);
    else
      emitFor(cast<ct::ForOp>(op), builder);
    if (values)
      return *values;
  }
}

void tilewright::structureControlFlow(Block &body, OpBuilder &builder) {
  Frame frame;
  frame.leave = [](OpBuilder &, Location, Exit, ValueRange) { return SmallVector<Value>(); };
  emitBlock(body, frame, builder);
}
