// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/ClusterRank.h"

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

bool ClusterRank::dependsOnRank(Value value) {
  auto [found, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return found->second;
  DenseSet<Value> seen;
  bool depends = searchRank(value, seen);
  return known[value] = depends;
}

// A loop carries what depends on itself: each value is looked at once.
bool ClusterRank::searchRank(Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  if (isRank(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    op = argument.getOwner()->getParentOp();
  if (!op || isa<FunctionOpInterface>(op))
    return false;
  auto search = [&](Value each) { return searchRank(each, seen); };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (llvm::any_of(ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, search))
      return true;
    if (value == loop.getInductionVar())
      return false;
    unsigned number = isa<BlockArgument>(value) ? cast<BlockArgument>(value).getArgNumber() - 1
                                                : cast<OpResult>(value).getResultNumber();
    return search(loop.getInitArgs()[number]) || search(loop.getYieldedValues()[number]);
  }
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return true;
  return llvm::any_of(op->getOperands(), search);
}

bool ClusterRank::isUniform(Operation *op, Operation *top) {
  for (Operation *parent = op->getParentOp(); parent != top; parent = parent->getParentOp()) {
    if (isa<AgentsOp>(parent))
      continue;
    auto loop = dyn_cast<scf::ForOp>(parent);
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (loop ? dependsOnRank({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
             : !branch || dependsOnRank(branch.getCondition()))
      return false;
  }
  return true;
}

// Whether it differs in all CTAs of a cluster, but where the rank itself is limited.
bool ClusterRank::isDistinct(Value value) {
  if (isRank(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
          tileaa::AssumeDivByOp>(op))
    return isDistinct(op->getOperand(0));
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinUIOp, arith::MaxUIOp, arith::MinSIOp, arith::MaxSIOp>(
          op))
    return false;
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (dependsOnRank(left) && dependsOnRank(right))
    return false;
  return isDistinct(dependsOnRank(left) ? left : right);
}

bool ClusterRank::canCompute(Value value, Block *block) {
  if (!dependsOnRank(value) || isRank(value))
    return true;
  Operation *op = value.getDefiningOp();
  bool isScalar = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) && !isa<RankedTensorType>(value.getType());
  return isScalar && llvm::all_of(op->getOperands(), [&](Value operand) { return canCompute(operand, block); });
}

bool ClusterRank::collect(Value value, Block *block, SmallVector<Value> &values) {
  if (!dependsOnRank(value) || llvm::is_contained(values, value))
    return true;
  bool isInside =
      value.getParentBlock() != block && block->getParentOp()->isProperAncestor(value.getParentBlock()->getParentOp());
  if (!isInside) {
    values.push_back(value);
    return !isDistinct(value) && canCompute(value, block);
  }
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand, block, values); });
}

std::optional<SmallVector<Value>> ClusterRank::decidingValues(ValueRange indices, Block *block) {
  SmallVector<Value> values;
  for (Value index : indices)
    if (!collect(index, block, values))
      return std::nullopt;
  return values;
}

Value ClusterRank::ofOtherRank(Value value, Value otherRank, OpBuilder &builder) {
  IRMapping mapping;
  std::function<Value(Value)> compute = [&](Value each) -> Value {
    if (Value made = mapping.lookupOrNull(each))
      return made;
    if (!dependsOnRank(each))
      return each;
    if (isRank(each))
      return otherRank;
    for (Value operand : each.getDefiningOp()->getOperands())
      mapping.map(operand, compute(operand));
    builder.clone(*each.getDefiningOp(), mapping);
    return mapping.lookup(each);
  };
  return compute(value);
}
