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

// A loop over the values of its index; the carried values are those of the last `continue`.
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
  llvm::SmallVector<Value, 2> carried = copyAll(context, op.getInitValues());
  while (isBelow(index, upper)) {
    context.set(op.getInductionVar(), Tile::scalar(element, index));
    setAll(context, op.getIterArgs(), carried);
    if (llvm::Error error = context.run(op.getBody()))
      return error;
    Exit exit = context.takeExit();
    if (exit.kind == Exit::Kind::Return) {
      context.leave(std::move(exit));
      return llvm::Error::success();
    }
    carried = std::move(exit.values);
    if (exit.kind == Exit::Kind::Break)
      break;
    // An index that does not fit its type any more is not below the bound either.
    Bits next = truncate(index + step, element);
    if (!isBelow(index, next))
      break;
    index = next;
  }
  setAll(context, op.getResults(), carried);
  return llvm::Error::success();
}

llvm::Error handleLoop(cuda_tile::LoopOp op, Context &context) {
  llvm::SmallVector<Value, 2> carried = copyAll(context, op.getInitValues());
  while (true) {
    setAll(context, op.getBody().getArguments(), carried);
    if (llvm::Error error = context.run(op.getBody()))
      return error;
    Exit exit = context.takeExit();
    if (exit.kind == Exit::Kind::Return) {
      context.leave(std::move(exit));
      return llvm::Error::success();
    }
    if (exit.kind == Exit::Kind::Break) {
      setAll(context, op.getResults(), exit.values);
      return llvm::Error::success();
    }
    carried = std::move(exit.values);
  }
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
