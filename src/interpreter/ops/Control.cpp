// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Handlers.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

void setAll(Context &context, ValueRange targets, llvm::MutableArrayRef<Value> values) {
  for (auto [target, value] : llvm::zip_equal(targets, values))
    context.set(target, std::move(value));
}

llvm::SmallVector<Value, 2> copyAll(Context &context, ValueRange sources) {
  llvm::SmallVector<Value, 2> values;
  for (mlir::Value source : sources)
    values.push_back(context.frame.get(source));
  return values;
}

llvm::Error handleIf(cuda_tile::IfOp op, Context &context) {
  Region &region = context.tile(op.getCondition()).scalarBits() ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return llvm::Error::success();
  if (llvm::Error error = context.run(region))
    return error;
  Exit exit = context.takeExit();
  if (exit.kind == Exit::Kind::Yield)
    setAll(context, op.getResults(), exit.values);
  else
    context.leave(std::move(exit));
  return llvm::Error::success();
}

// Runs the body of a loop while `begin` starts another iteration. The carried values are those of the last `continue`,
// the results those of the last exit; a `return` leaves it without results.
llvm::Error runLoop(Region &body, ValueRange carriedArguments, ValueRange initial, ValueRange results, Context &context,
                    llvm::function_ref<bool()> begin) {
  llvm::SmallVector<Value, 2> carried = copyAll(context, initial);
  while (begin()) {
    setAll(context, carriedArguments, carried);
    if (llvm::Error error = context.run(body))
      return error;
    Exit exit = context.takeExit();
    if (exit.kind == Exit::Kind::Return) {
      context.leave(std::move(exit));
      return llvm::Error::success();
    }
    carried = std::move(exit.values);
    if (exit.kind == Exit::Kind::Break)
      break;
  }
  setAll(context, results, carried);
  return llvm::Error::success();
}

llvm::Error handleFor(cuda_tile::ForOp op, Context &context) {
  const Tile lower = context.tile(op.getLowerBound());
  Element element = lower.element;
  bool isUnsigned = op.getUnsignedCmp();
  Bits index = lower.scalarBits(), upper = context.tile(op.getUpperBound()).scalarBits(),
       step = context.tile(op.getStep()).scalarBits();
  if (signExtend(step, element) <= 0 && !(isUnsigned && step))
    context.violated(op, Violation::Shape,
                     "the step of the loop is " + llvm::Twine(signExtend(step, element)) + ", expected a positive one");
  auto isBelow = [&](Bits a, Bits b) { return isUnsigned ? a < b : signExtend(a, element) < signExtend(b, element); };
  return runLoop(op.getBody(), op.getIterArgs(), op.getInitValues(), op.getResults(), context, [&] {
    if (!isBelow(index, upper))
      return false;
    context.set(op.getInductionVar(), Tile::scalar(element, index));
    // An index that does not fit its type any more is not below the bound either.
    Bits next = truncate(index + step, element);
    index = isBelow(index, next) ? next : upper;
    return true;
  });
}

llvm::Error handleLoop(cuda_tile::LoopOp op, Context &context) {
  return runLoop(op.getBody(), op.getBody().getArguments(), op.getInitValues(), op.getResults(), context,
                 [] { return true; });
}

template <typename Op, Exit::Kind kind> llvm::Error handleTerminator(Op op, Context &context) {
  context.leave(kind, op.getOperands());
  return llvm::Error::success();
}

} // namespace

void registerControlOps(HandlerTable &table) {
  table.add<handleIf>();
  table.add<handleFor>();
  table.add<handleLoop>();
  table.add<handleTerminator<cuda_tile::YieldOp, Exit::Kind::Yield>>();
  table.add<handleTerminator<cuda_tile::ContinueOp, Exit::Kind::Continue>>();
  table.add<handleTerminator<cuda_tile::BreakOp, Exit::Kind::Break>>();
  table.add<handleTerminator<cuda_tile::ReturnOp, Exit::Kind::Return>>();
}

} // namespace tilewright::interpreter
