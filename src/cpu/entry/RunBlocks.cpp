// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/entry/RunBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright::cpu;

SmallVector<Value, 3> RunBlocks::placeOf(OpBuilder &builder, Location loc, Value number) const {
  Value x = arith::RemUIOp::create(builder, loc, number, grid[0]);
  Value rest = arith::DivUIOp::create(builder, loc, number, grid[0]);
  Value y = arith::RemUIOp::create(builder, loc, rest, grid[1]);
  Value z = arith::DivUIOp::create(builder, loc, rest, grid[1]);
  return {x, y, z};
}

void RunBlocks::call(OpBuilder &builder, Location loc, func::FuncOp block, ValueRange place) const {
  SmallVector<Value> operands(arguments);
  for (ValueRange values : {place, ValueRange(grid)})
    for (Value value : values)
      operands.push_back(arith::TruncIOp::create(builder, loc, builder.getI32Type(), value));
  func::CallOp::create(builder, loc, block, operands);
}

void RunBlocks::build(OpBuilder &builder, Location loc, func::FuncOp block) const {
  OpBuilder::InsertionGuard guard(builder);
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
  auto loop = scf::ForOp::create(builder, loc, first, last, one);
  builder.setInsertionPointToStart(loop.getBody());
  call(builder, loc, block, placeOf(builder, loc, loop.getInductionVar()));
}

void RunBlocks::build(OpBuilder &builder, Location loc, func::FuncOp block, func::FuncOp joined, int64_t blocks,
                      Value joins) const {
  auto hasMore = [&](OpBuilder &before, Location, ValueRange numbers) {
    Value more = arith::CmpIOp::create(before, loc, arith::CmpIPredicate::slt, numbers.front(), last);
    scf::ConditionOp::create(before, loc, more, numbers);
  };
  auto runNext = [&](OpBuilder &after, Location, ValueRange numbers) {
    Value number = numbers.front(), many = arith::ConstantIntOp::create(after, loc, blocks, 64);
    SmallVector<Value, 3> place = placeOf(after, loc, number);
    Value inRow = arith::SubIOp::create(after, loc, grid[0], place[0]);
    Value inRange = arith::SubIOp::create(after, loc, last, number);
    Value left = arith::MinSIOp::create(after, loc, inRow, inRange);
    Value enough = arith::CmpIOp::create(after, loc, arith::CmpIPredicate::sge, left, many);
    enough = arith::AndIOp::create(after, loc, enough, joins);
    Value single = arith::SelectOp::create(after, loc, joins, left, inRange);
    Value step = arith::SelectOp::create(after, loc, enough, many, single);
    Value next = arith::AddIOp::create(after, loc, number, step);
    auto choice = scf::IfOp::create(after, loc, enough, /*withElseRegion=*/true);
    OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
    call(then, loc, joined, place);
    RunBlocks{number, next, grid, arguments}.build(otherwise, loc, block);
    scf::YieldOp::create(after, loc, next);
  };
  scf::WhileOp::create(builder, loc, first.getType(), first, hasMore, runNext);
}
