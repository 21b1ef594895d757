// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `loop`, by scf.while.
#include "lower/cuda_tile_to_tileaa/ControlFrame.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::control;

static SmallVector<Location> locationsOf(TypeRange types, Location loc) {
  return SmallVector<Location>(types.size(), loc);
}

//===-- loops that end by one test ----------------------------------------===//

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
    unsigned exits = exitOf(body.getTerminator());
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

namespace {

// A loop that ends by one test becomes the two regions of scf.while: the operations before the test, and those after.
class TestedLoop {
public:
  TestedLoop(ct::LoopOp op, ct::IfOp test, bool breaksIfTrue)
      : op(op), test(test), breaksIfTrue(breaksIfTrue), loc(op.getLoc()), inside(op.getContext()) {}

  void emit(OpBuilder &builder) {
    // The types of the results are known when the regions are complete: they are built in a draft of the loop.
    auto draft = scf::WhileOp::create(builder, loc, TypeRange(), op.getInitValues());
    Region &before = draft.getBefore(), &after = draft.getAfter();
    emitHead(before);
    Location testLoc = test.getLoc();
    Value goesOn = emitTest();
    size_t numResults = forwarded.size();
    emitTail(after);
    forwardUsed(after);
    inside.setInsertionPointToEnd(head);
    scf::ConditionOp::create(inside, testLoc, goesOn, forwarded);
    auto loop = scf::WhileOp::create(builder, loc, ValueRange(forwarded).getTypes(), op.getInitValues());
    loop.getBefore().takeBody(before);
    loop.getAfter().takeBody(after);
    draft.erase();
    replaceResults(op, loop.getResults().take_front(numResults));
    op.erase();
  }

private:
  Block &body() { return op.getBody().front(); }

  void emitHead(Region &before) {
    TypeRange types = op.getInitValues().getTypes();
    head = inside.createBlock(&before, {}, types, locationsOf(types, loc));
    for (auto [from, to] : llvm::zip_equal(body().getArguments(), head->getArguments()))
      from.replaceAllUsesWith(to);
    head->getOperations().splice(head->end(), body().getOperations(), body().begin(), test->getIterator());
  }

  // Whether there is a next iteration; the results of the loop are forwarded.
  Value emitTest() {
    Region &leaving = breaksIfTrue ? test.getThenRegion() : test.getElseRegion();
    Region &staying = breaksIfTrue ? test.getElseRegion() : test.getThenRegion();
    forwarded.assign(leaving.front().getTerminator()->operand_begin(), leaving.front().getTerminator()->operand_end());
    if (!staying.empty())
      replaceResults(test, staying.front().getTerminator()->getOperands());
    inside.setInsertionPointToEnd(head);
    Value goesOn = toScalar(inside, test.getLoc(), test.getCondition());
    if (breaksIfTrue)
      goesOn = arith::XOrIOp::create(inside, test.getLoc(), goesOn, makeFlag(inside, test.getLoc(), true));
    test.erase();
    return goesOn;
  }

  void emitTail(Region &after) {
    TypeRange types = op.getResultTypes();
    tail = inside.createBlock(&after, {}, types, locationsOf(types, loc));
    SmallVector<Value> next = emitBlock(body(), Frame::yielding(op.getInitValues().getTypes()), inside);
    scf::YieldOp::create(inside, loc, next);
  }

  // Values of the first region that the second uses are passed along.
  void forwardUsed(Region &after) {
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
      value.replaceUsesWithIf(tail->getArgument(place),
                              [&](OpOperand &use) { return after.isAncestor(use.getOwner()->getParentRegion()); });
    }
  }

  ct::LoopOp op;
  ct::IfOp test;
  bool breaksIfTrue;
  Location loc;
  OpBuilder inside;
  Block *head = nullptr, *tail = nullptr;
  SmallVector<Value> forwarded;
};

//===-- other loops -------------------------------------------------------===//

// The whole body is the first region of scf.while, which tells whether there is a next iteration: its frame has that
// flag, one for a return, the next values of the loop's variables and its results.
class UntestedLoop {
public:
  explicit UntestedLoop(ct::LoopOp op)
      : op(op), mayReturn(findExits(op.getBody()) & Return), iterTypes(op.getInitValues().getTypes()),
        resultTypes(op.getResultTypes()), isShared(iterTypes == resultTypes) {}

  // The flag that tells whether the kernel returns, if it may.
  Value emit(OpBuilder &builder) {
    Location loc = op.getLoc();
    Frame frame = makeFrame(builder);
    SmallVector<Type> passed(ArrayRef<Type>(frame.types).drop_front());
    auto loop = scf::WhileOp::create(builder, loc, passed, op.getInitValues());
    Block &body = op.getBody().front();
    {
      OpBuilder::InsertionGuard guard(builder);
      before = builder.createBlock(&loop.getBefore(), {}, iterTypes, locationsOf(iterTypes, loc));
      for (auto [from, to] : llvm::zip_equal(body.getArguments(), before->getArguments()))
        from.replaceAllUsesWith(to);
      SmallVector<Value> values = emitBlock(body, frame, builder);
      scf::ConditionOp::create(builder, loc, values.front(), ValueRange(values).drop_front());
      Block *after = builder.createBlock(&loop.getAfter(), {}, passed, locationsOf(passed, loc));
      scf::YieldOp::create(builder, loc, after->getArguments().slice(mayReturn, iterTypes.size()));
    }
    replaceResults(op, loop.getResults().take_back(resultTypes.size()));
    op.erase();
    return mayReturn ? loop.getResult(0) : Value();
  }

private:
  Frame makeFrame(OpBuilder &builder) {
    Frame frame;
    frame.types.append(1 + mayReturn, builder.getI1Type());
    llvm::append_range(frame.types, iterTypes);
    if (!isShared)
      llvm::append_range(frame.types, resultTypes);
    frame.leave = [this](OpBuilder &b, Location at, Exit exit, ValueRange values) {
      return leave(b, at, exit, values);
    };
    return frame;
  }

  SmallVector<Value> leave(OpBuilder &builder, Location loc, Exit exit, ValueRange values) {
    SmallVector<Value> all{makeFlag(builder, loc, exit == Continue)};
    if (mayReturn)
      all.push_back(makeFlag(builder, loc, exit == Return));
    if (exit == Continue)
      llvm::append_range(all, values);
    else if (!isShared || exit != Break) // unused; the available values are already in their places
      llvm::append_range(all, before->getArguments());
    if (exit == Break)
      llvm::append_range(all, values);
    else if (!isShared)
      appendPoison(builder, loc, resultTypes, all);
    return all;
  }

  ct::LoopOp op;
  bool mayReturn;
  SmallVector<Type> iterTypes, resultTypes;
  bool isShared; // next values and results share their places where their types agree
  Block *before = nullptr;
};

} // namespace

/// After a loop that may return: the rest runs if it did not.
static FrameValues emitAfterLoop(Value returned, Block &rest, const Frame &frame, Location loc, OpBuilder &builder) {
  if (!returned)
    return std::nullopt;
  Value runs = arith::XOrIOp::create(builder, loc, returned, makeFlag(builder, loc, true));
  return emitGuarded(runs, rest, frame, loc, builder, [&](OpBuilder &b) { return frame.leave(b, loc, Return, {}); });
}

FrameValues control::emitLoop(ct::LoopOp op, Block &rest, const Frame &outer, OpBuilder &builder) {
  bool breaksIfTrue = false;
  if (ct::IfOp test = findWhileCondition(op, breaksIfTrue)) {
    TestedLoop(op, test, breaksIfTrue).emit(builder);
    return std::nullopt;
  }
  Location loc = op.getLoc();
  Value returned = UntestedLoop(op).emit(builder);
  return emitAfterLoop(returned, rest, outer, loc, builder);
}
