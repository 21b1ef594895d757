// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow without jumps.
//
// Every region is emitted into a frame, which says what values the region has to end with and how each way out of
// it (yield, break, continue, return) makes those values. An `if` that may jump is no problem where only one of its
// branches goes on: the code after it moves into that branch. Where both go on, the `if` tells by a flag whether the
// code after it runs. A loop carries one flag for "once more" and one for "the kernel returns", if it may return.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;

namespace {

enum Exit : unsigned { Yield = 1, Break = 2, Continue = 4, Return = 8 };

struct Frame {
  SmallVector<Type> types;
  std::function<SmallVector<Value>(OpBuilder &, Location, Exit, ValueRange)> leave;
};

} // namespace

static Exit getExit(Operation *terminator) {
  if (isa<ct::BreakOp>(terminator))
    return Break;
  if (isa<ct::ContinueOp>(terminator))
    return Continue;
  if (isa<ct::ReturnOp>(terminator))
    return Return;
  return Yield;
}

/// The ways out of a region, as seen from the operation that has it. A `for` inside adds none: it runs to its end.
static unsigned findExits(Region &region) {
  if (region.empty())
    return Yield;
  unsigned exits = getExit(region.front().getTerminator());
  for (Operation &op : region.front()) {
    if (auto branch = dyn_cast<ct::IfOp>(op))
      exits |= (findExits(branch.getThenRegion()) | findExits(branch.getElseRegion())) & ~Yield;
    else if (isa<ct::LoopOp>(op))
      exits |= findExits(op.getRegion(0)) & Return;
  }
  return exits;
}

static Value makeFlag(OpBuilder &builder, Location loc, bool value) {
  return arith::ConstantIntOp::create(builder, loc, value, 1);
}

static void appendPoison(OpBuilder &builder, Location loc, TypeRange types, SmallVectorImpl<Value> &values) {
  for (Type type : types) {
    if (type.isInteger(1))
      values.push_back(makeFlag(builder, loc, false));
    else
      values.push_back(ub::PoisonOp::create(builder, loc, type));
  }
}

/// Joins a scalar tile with the scalar that scf wants, in either direction.
static Value castScalar(OpBuilder &builder, Location loc, Value value, Type type) {
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

static Value toScalar(OpBuilder &builder, Location loc, Value value) {
  return castScalar(builder, loc, value, cast<ct::TileType>(value.getType()).getElementType());
}

static void dropOps(Block &block) {
  while (!block.empty()) {
    block.back().dropAllUses();
    block.back().erase();
  }
}

static SmallVector<Value> emitBlock(Block &block, const Frame &frame, OpBuilder &builder);

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

static void replaceResults(Operation *op, ValueRange values) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
    result.replaceAllUsesWith(value);
}

//===-- if ----------------------------------------------------------------===//

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

/// Runs the rest of `block` under a condition, or leaves the frame by a return where it is false.
static SmallVector<Value> emitGuarded(Value runs, Block &block, const Frame &frame, Location loc, OpBuilder &builder,
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

/// Emits an `if` at the head of `rest`, and `rest` with it if the `if` may jump; then the values are those of the
/// frame.
static std::optional<SmallVector<Value>> emitIf(ct::IfOp op, Block &rest, const Frame &frame, OpBuilder &builder) {
  Location loc = op.getLoc();
  unsigned exits = findExits(op.getThenRegion()) | findExits(op.getElseRegion());
  if (exits == Yield) {
    Frame inner{SmallVector<Type>(op->getResultTypes()),
                [](OpBuilder &, Location, Exit, ValueRange values) { return SmallVector<Value>(values); }};
    scf::IfOp branch = emitBranches(op, inner, builder);
    replaceResults(op, branch.getResults());
    op.erase();
    return std::nullopt;
  }

  SmallVector<Region *> continuing;
  for (Region &region : op->getRegions())
    if (region.empty() || getExit(region.front().getTerminator()) == Yield)
      continuing.push_back(&region);

  if (continuing.size() == 2) {
    Frame inner;
    inner.types.push_back(builder.getI1Type());
    llvm::append_range(inner.types, op->getResultTypes());
    llvm::append_range(inner.types, frame.types);
    size_t numResults = op->getNumResults();
    SmallVector<Type> resultTypes(op->getResultTypes());
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

  if (continuing.empty()) {
    // Nothing after the `if` is reached.
    dropOps(rest);
  } else {
    Region &region = *continuing.front();
    Block &tail = region.empty() ? region.emplaceBlock() : region.front();
    if (!tail.empty()) {
      Operation *yield = tail.getTerminator();
      replaceResults(op, yield->getOperands());
      yield->erase();
    }
    // The `if` itself is no longer in `rest`.
    tail.getOperations().splice(tail.end(), rest.getOperations());
  }
  scf::IfOp branch = emitBranches(op, frame, builder);
  op.erase();
  return SmallVector<Value>(branch.getResults());
}

//===-- loops -------------------------------------------------------------===//

/// After a loop that may return: the rest runs if it did not.
static std::optional<SmallVector<Value>> emitAfterLoop(Value returned, Block &rest, const Frame &frame, Location loc,
                                                       OpBuilder &builder) {
  if (!returned)
    return std::nullopt;
  Value runs = arith::XOrIOp::create(builder, loc, returned, makeFlag(builder, loc, true));
  return emitGuarded(runs, rest, frame, loc, builder, [&](OpBuilder &b) { return frame.leave(b, loc, Return, {}); });
}

/// `if c {} else { break }` at the head of a loop, after code without jumps, and no other way to end the loop.
static ct::IfOp findWhileCondition(ct::LoopOp op, bool &breaksIfTrue) {
  Block &body = op.getBody().front();
  for (Operation &head : body) {
    if (isa<ct::ForOp, ct::LoopOp>(head))
      return nullptr;
    auto branch = dyn_cast<ct::IfOp>(head);
    if (!branch)
      continue;
    auto isBreak = [](Region &region) { return !region.empty() && isa<ct::BreakOp>(region.front().front()); };
    auto isNothing = [](Region &region) { return region.empty() || isa<ct::YieldOp>(region.front().front()); };
    breaksIfTrue = isBreak(branch.getThenRegion());
    Region &leaving = breaksIfTrue ? branch.getThenRegion() : branch.getElseRegion();
    Region &staying = breaksIfTrue ? branch.getElseRegion() : branch.getThenRegion();
    if (!isBreak(leaving) || !isNothing(staying))
      return nullptr;
    unsigned exits = getExit(body.getTerminator());
    for (Operation *next = branch->getNextNode(); next; next = next->getNextNode()) {
      if (auto inner = dyn_cast<ct::IfOp>(next))
        exits |= (findExits(inner.getThenRegion()) | findExits(inner.getElseRegion())) & ~Yield;
      else if (isa<ct::LoopOp>(next))
        exits |= findExits(next->getRegion(0)) & Return;
    }
    return exits == Continue ? branch : nullptr;
  }
  return nullptr;
}

static SmallVector<Location> getLocations(TypeRange types, Location loc) {
  return SmallVector<Location>(types.size(), loc);
}

/// A loop that ends by one test becomes the two regions of scf.while.
static void emitWhile(ct::LoopOp op, ct::IfOp test, bool breaksIfTrue, OpBuilder &builder) {
  Location loc = op.getLoc();
  Block &body = op.getBody().front();
  TypeRange iterTypes = op.getInitValues().getTypes();
  // The types of the results are known when the regions are complete: they are built in a draft of the loop.
  auto draft = scf::WhileOp::create(builder, loc, TypeRange(), op.getInitValues());
  Region &before = draft.getBefore(), &after = draft.getAfter();
  OpBuilder inside(builder.getContext());
  Block *head = inside.createBlock(&before, {}, iterTypes, getLocations(iterTypes, loc));
  for (auto [from, to] : llvm::zip_equal(body.getArguments(), head->getArguments()))
    from.replaceAllUsesWith(to);
  head->getOperations().splice(head->end(), body.getOperations(), body.begin(), test->getIterator());

  Region &leaving = breaksIfTrue ? test.getThenRegion() : test.getElseRegion();
  Region &staying = breaksIfTrue ? test.getElseRegion() : test.getThenRegion();
  SmallVector<Value> forwarded(leaving.front().getTerminator()->getOperands());
  if (!staying.empty())
    replaceResults(test, staying.front().getTerminator()->getOperands());
  inside.setInsertionPointToEnd(head);
  Value goesOn = toScalar(inside, test.getLoc(), test.getCondition());
  if (breaksIfTrue)
    goesOn = arith::XOrIOp::create(inside, test.getLoc(), goesOn, makeFlag(inside, test.getLoc(), true));
  Location testLoc = test.getLoc();
  test.erase();

  size_t numResults = forwarded.size();
  TypeRange resultTypes = op.getResultTypes();
  Block *tail = inside.createBlock(&after, {}, resultTypes, getLocations(resultTypes, loc));
  Frame frame{SmallVector<Type>(iterTypes),
              [](OpBuilder &, Location, Exit, ValueRange values) { return SmallVector<Value>(values); }};
  SmallVector<Value> next = emitBlock(body, frame, inside);
  scf::YieldOp::create(inside, loc, next);

  // Values of the first region that the second uses are passed along.
  llvm::SetVector<Value> used;
  after.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentBlock() == head)
        used.insert(operand);
  });
  for (Value value : used) {
    size_t place = llvm::find(forwarded, value) - forwarded.begin();
    if (place == forwarded.size()) {
      forwarded.push_back(value);
      tail->addArgument(value.getType(), loc);
    }
    Value argument = tail->getArgument(place);
    value.replaceUsesWithIf(argument,
                            [&](OpOperand &use) { return after.isAncestor(use.getOwner()->getParentRegion()); });
  }
  inside.setInsertionPointToEnd(head);
  scf::ConditionOp::create(inside, testLoc, goesOn, forwarded);
  auto loop = scf::WhileOp::create(builder, loc, ValueRange(forwarded).getTypes(), op.getInitValues());
  loop.getBefore().takeBody(before);
  loop.getAfter().takeBody(after);
  draft.erase();
  replaceResults(op, loop.getResults().take_front(numResults));
  op.erase();
}

/// Any other `loop`: the whole body is the first region of scf.while, which tells whether there is a next iteration.
static std::optional<SmallVector<Value>> emitLoop(ct::LoopOp op, Block &rest, const Frame &outer, OpBuilder &builder) {
  bool breaksIfTrue = false;
  if (ct::IfOp test = findWhileCondition(op, breaksIfTrue)) {
    emitWhile(op, test, breaksIfTrue, builder);
    return std::nullopt;
  }
  Location loc = op.getLoc();
  bool mayReturn = findExits(op.getBody()) & Return;
  SmallVector<Type> iterTypes(op.getInitValues().getTypes()), resultTypes(op.getResultTypes());
  // Next values and results share their places where their types agree.
  bool isShared = iterTypes == resultTypes;
  Type flag = builder.getI1Type();
  Frame frame;
  frame.types.push_back(flag);
  if (mayReturn)
    frame.types.push_back(flag);
  size_t numFlags = frame.types.size();
  llvm::append_range(frame.types, iterTypes);
  if (!isShared)
    llvm::append_range(frame.types, resultTypes);
  Block *before = nullptr;
  frame.leave = [&](OpBuilder &b, Location at, Exit exit, ValueRange values) {
    SmallVector<Value> all{makeFlag(b, at, exit == Continue)};
    if (mayReturn)
      all.push_back(makeFlag(b, at, exit == Return));
    if (exit == Continue) {
      llvm::append_range(all, values);
      if (!isShared)
        appendPoison(b, at, resultTypes, all);
    } else {
      // Nobody reads these; the values at hand are already where they would be.
      if (!isShared || exit != Break)
        llvm::append_range(all, before->getArguments());
      if (exit == Break)
        llvm::append_range(all, values);
      else if (!isShared)
        appendPoison(b, at, resultTypes, all);
    }
    return all;
  };

  SmallVector<Type> passed(ArrayRef<Type>(frame.types).drop_front());
  auto loop = scf::WhileOp::create(builder, loc, passed, op.getInitValues());
  Block &body = op.getBody().front();
  {
    OpBuilder::InsertionGuard guard(builder);
    before = builder.createBlock(&loop.getBefore(), {}, iterTypes, getLocations(iterTypes, loc));
    for (auto [from, to] : llvm::zip_equal(body.getArguments(), before->getArguments()))
      from.replaceAllUsesWith(to);
    SmallVector<Value> values = emitBlock(body, frame, builder);
    scf::ConditionOp::create(builder, loc, values.front(), ValueRange(values).drop_front());
    Block *after = builder.createBlock(&loop.getAfter(), {}, passed, getLocations(passed, loc));
    scf::YieldOp::create(builder, loc, after->getArguments().slice(numFlags - 1, iterTypes.size()));
  }
  replaceResults(op, loop.getResults().take_back(resultTypes.size()));
  op.erase();
  return emitAfterLoop(mayReturn ? loop.getResult(0) : Value(), rest, outer, loc, builder);
}

static bool isOne(Value value) {
  auto constant = value.getDefiningOp<ct::ConstantOp>();
  return constant && cast<DenseIntElementsAttr>(constant.getValue()).getSplatValue<APInt>().isOne();
}

static void emitFor(ct::ForOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Value lower = toScalar(builder, loc, op.getLowerBound()), upper = toScalar(builder, loc, op.getUpperBound());
  Value step = toScalar(builder, loc, op.getStep());
  // Types that a step may leave are counted in a wider one, signed: i1 has no positive step otherwise, and the last
  // step of another may lead beyond its largest number and around. A step of 1 does not.
  Type type = lower.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = op.getUnsignedCmp(), isWidened = width < 32 || (width == 32 && !isOne(op.getStep()));
  if (isWidened) {
    Type wide = width < 32 ? builder.getI32Type() : builder.getI64Type();
    for (Value *bound : {&lower, &upper, &step}) {
      if (isUnsigned)
        *bound = arith::ExtUIOp::create(builder, loc, wide, *bound);
      else
        *bound = arith::ExtSIOp::create(builder, loc, wide, *bound);
    }
    isUnsigned = false;
    // A step that leads nowhere is undefined, but ends.
    Value none = arith::ConstantIntOp::create(builder, loc, wide, 0);
    Value beyond = arith::ConstantIntOp::create(builder, loc, wide, int64_t(1) << width);
    Value leads = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, step, none);
    step = arith::SelectOp::create(builder, loc, leads, step, beyond);
  }
  auto loop =
      scf::ForOp::create(builder, loc, lower, upper, step, op.getInitValues(), /*bodyBuilder=*/nullptr, isUnsigned);
  Block &body = op.getBody().front();
  {
    OpBuilder::InsertionGuard guard(builder);
    dropOps(*loop.getBody());
    builder.setInsertionPointToEnd(loop.getBody());
    Value counter = loop.getInductionVar();
    if (isWidened)
      counter = arith::TruncIOp::create(builder, loc, type, counter);
    Value index = castScalar(builder, loc, counter, op.getLowerBound().getType());
    body.getArgument(0).replaceAllUsesWith(index);
    for (auto [from, to] : llvm::zip_equal(body.getArguments().drop_front(), loop.getRegionIterArgs()))
      from.replaceAllUsesWith(to);
    Frame frame{SmallVector<Type>(op.getInitValues().getTypes()),
                [](OpBuilder &, Location, Exit, ValueRange values) { return SmallVector<Value>(values); }};
    SmallVector<Value> values = emitBlock(body, frame, builder);
    scf::YieldOp::create(builder, loc, values);
  }
  replaceResults(op, loop.getResults());
  op.erase();
}

//===-- blocks ------------------------------------------------------------===//

/// Moves the operations of a block to the builder, structured, and gives the values its frame wants.
static SmallVector<Value> emitBlock(Block &block, const Frame &frame, OpBuilder &builder) {
  while (true) {
    Operation *op = &block.front();
    if (op->hasTrait<OpTrait::IsTerminator>()) {
      SmallVector<Value> values = frame.leave(builder, op->getLoc(), getExit(op), op->getOperands());
      op->erase();
      return values;
    }
    if (!isa<ct::IfOp, ct::ForOp, ct::LoopOp>(op)) {
      op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
      continue;
    }
    op->remove();
    std::optional<SmallVector<Value>> values;
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
