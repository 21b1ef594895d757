// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/prefetch/LoopPrefetch.h"

#include "tileas/memory/ValueFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

Value LoopPrefetch::number(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}

Value LoopPrefetch::moreThan(Value left, int64_t count) {
  return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, left, number(counter, count));
}

void LoopPrefetch::countTrips() {
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value length = builder.createOrFold<arith::SubIOp>(loc, loop.getUpperBound(), loop.getLowerBound());
  some = builder.createOrFold<arith::CmpIOp>(loc, less, loop.getLowerBound(), loop.getUpperBound());
  trips = builder.createOrFold<arith::SelectOp>(
      loc, some, builder.createOrFold<arith::CeilDivUIOp>(loc, length, loop.getStep()), number(counter, 0));
}

Value LoopPrefetch::nextStage(Value stage, Value count) {
  Value after = arith::AddIOp::create(builder, loc, stage, one);
  Value wraps = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, after, count);
  return arith::SelectOp::create(builder, loc, wraps, none, after);
}

scf::ForOp LoopPrefetch::replaceLoop(ValueRange inits, const NewYieldValuesFn &next) {
  DictionaryAttr notes = loop->getDiscardableAttrDictionary();
  auto now = cast<scf::ForOp>(
      loop.replaceWithAdditionalYields(builder, inits, /*replaceInitOperandUsesInLoop=*/false, next)->getOperation());
  now->setDiscardableAttrs(notes);
  return now;
}

Value LoopPrefetch::tokenBefore(TileLoad load) {
  SmallVector<Value> before = tokensAtEntry(loop.getRegion(), load.token())->takeVector();
  if (before.size() < 2)
    return before.empty() ? Value() : before[0];
  return tileaa::JoinTokensOp::create(builder, load->getLoc(), before);
}

void LoopPrefetch::startCopy(unsigned index, TileLoad load, LayoutAttr copier, const IRMapping &mapping, Value stage,
                             Value condition) {
  auto now = [&](Value value) { return value ? mapping.lookupOrDefault(value) : Value(); };
  if (tileaa::LoadViewOp ofView = load.ofView()) {
    auto offsets = llvm::map_to_vector(ofView.getOffsets(), now);
    AsyncLoadOp::create(builder, ofView.getLoc(), ofView.getView(), offsets, tokens[index], pipeline, stage, index,
                        condition, ofView.getDimMapAttr(), ofView.getInboundsAttr(), copier);
  } else if (tileaa::LoadPtrOp ofAddresses = load.ofAddresses()) {
    AsyncLoadPtrOp::create(builder, ofAddresses.getLoc(), now(ofAddresses.getAddresses()), now(ofAddresses.getMask()),
                           tokens[index], pipeline, stage, index, condition, /*state=*/Value());
  }
}
