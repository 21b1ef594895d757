// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/loops/Reduction.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

Reduction::Reduction(LoopNest &nest) : nest(nest) {
  if (nest.reductionDim == LoopNest::none)
    return;
  for (unsigned i = 0; i < nest.op.getNumDpsInits(); ++i)
    if (!nest.outAccess(i).dependsOn(nest.reductionDim))
      reduced.push_back(i);
  findElements();
  llvm::SetVector<Value> entering = collectCombiner();
  // Without marks, the only value that enters the combining part is the only accumulator's element.
  if (entering.size() == 1 && combined.size() == 1 && !combined[0])
    combined[0] = entering.pop_back_val();
  Operation *yield = nest.body->getTerminator();
  isClosed = entering.empty() && llvm::all_of(llvm::zip(reduced, combined), [&](auto pair) {
               auto [i, element] = pair;
               return element && element.getType() == yield->getOperand(i).getType();
             });
}

BlockArgument Reduction::accumulator(unsigned result) const {
  return nest.body->getArgument(nest.op.getNumDpsInputs() + result);
}

void Reduction::findElements() {
  combined.assign(reduced.size(), Value());
  for (ElementOp mark : nest.body->getOps<ElementOp>())
    if (auto found = llvm::find(reduced, mark.getResultNumber()); found != reduced.end())
      combined[found - reduced.begin()] = mark.getResult();
}

// Operations that depend on accumulators and elements form the combiner; returns the other values they use.
llvm::SetVector<Value> Reduction::collectCombiner() {
  llvm::SetVector<Value> dependent, entering;
  dependent.insert_range(llvm::map_range(reduced, [&](unsigned i) { return accumulator(i); }));
  dependent.insert_range(llvm::make_filter_range(combined, [](Value element) { return element != nullptr; }));
  for (Operation &inner : nest.body->without_terminator())
    if (llvm::any_of(inner.getOperands(), [&](Value operand) { return dependent.contains(operand); })) {
      combiner.push_back(&inner);
      dependent.insert_range(inner.getResults());
    }
  for (Operation *inner : combiner)
    for (Value operand : inner->getOperands())
      if (!dependent.contains(operand) && operand.getParentBlock() == nest.body &&
          !operand.getDefiningOp<arith::ConstantOp>())
        entering.insert(operand);
  return entering;
}

std::optional<vector::CombiningKind> Reduction::extremum() const {
  if (!isClosed || combiner.size() != 1 || reduced.size() != 1 || !isa<Float32Type, Float64Type>(combined[0].getType()))
    return std::nullopt;
  if (isa<arith::MaxNumFOp>(combiner[0]))
    return vector::CombiningKind::MAXNUMF;
  if (isa<arith::MinNumFOp>(combiner[0]))
    return vector::CombiningKind::MINNUMF;
  return std::nullopt;
}

SmallVector<Value> Reduction::loadAccumulators(OpBuilder &builder) const {
  return llvm::map_to_vector(reduced, [&](unsigned i) { return nest.load(builder, nest.outAccess(i)); });
}

void Reduction::storeAccumulators(OpBuilder &builder, ValueRange values) const {
  for (auto [i, value] : llvm::zip(reduced, values))
    nest.store(builder, nest.outAccess(i), value);
}

SmallVector<Value> Reduction::combine(OpBuilder &builder, ValueRange accumulators, ValueRange next) const {
  IRMapping mapping;
  Type like = accumulators.front().getType();
  for (auto [i, value] : llvm::zip(reduced, accumulators))
    mapping.map(accumulator(i), value);
  for (auto [element, value] : llvm::zip(combined, next))
    mapping.map(element, value);
  for (Operation *inner : combiner)
    nest.cloneOp(builder, inner, mapping, like);
  return llvm::map_to_vector(reduced,
                             [&](unsigned i) { return mapping.lookup(nest.body->getTerminator()->getOperand(i)); });
}
