// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/memory/ValueFlow.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

SmallVector<Value> tilewright::incomingValues(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Region *region = argument ? argument.getOwner()->getParent() : nullptr;
  Operation *op = argument ? region->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return {};
  SmallVector<Value> values;
  for (RegionBranchPoint point : branch.getAllRegionBranchPoints()) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (RegionSuccessor successor : successors) {
      if (successor.getSuccessor() != region)
        continue;
      ValueRange inputs = successor.getSuccessorInputs();
      auto found = llvm::find(inputs, value);
      if (found == inputs.end())
        continue; // the number of a loop's iteration
      size_t index = std::distance(inputs.begin(), found);
      auto terminator = dyn_cast_or_null<RegionBranchTerminatorOpInterface>(point.getTerminatorPredecessorOrNull());
      values.push_back(terminator ? terminator.getSuccessorOperands(successor)[index]
                                  : branch.getEntrySuccessorOperands(successor)[index]);
    }
  }
  return values;
}

llvm::SetVector<Value> tilewright::originsOf(Value value) {
  llvm::SetVector<Value> seen, origins;
  seen.insert(value);
  for (unsigned next = 0; next != seen.size(); ++next) {
    SmallVector<Value> incoming = incomingValues(seen[next]);
    if (incoming.empty())
      origins.insert(seen[next]);
    seen.insert(incoming.begin(), incoming.end());
  }
  return origins;
}

std::optional<llvm::SetVector<Value>> tilewright::tokensAtEntry(Region &region, Value token) {
  llvm::SetVector<Value> seen, entry;
  if (token)
    seen.insert(token);
  for (unsigned next = 0; next != seen.size(); ++next) {
    Value value = seen[next];
    if (!region.isAncestor(value.getParentRegion())) {
      entry.insert(value);
      continue;
    }
    SmallVector<Value> incoming = incomingValues(value);
    seen.insert(incoming.begin(), incoming.end());
    if (!incoming.empty())
      continue;
    Operation *op = value.getDefiningOp();
    auto load = dyn_cast_or_null<tileaa::LoadPtrOp>(op);
    if (!isa_and_nonnull<tileaa::LoadViewOp, tileaa::JoinTokensOp, tileaa::MakeTokenOp>(op) &&
        (!load || load.getOrdering()))
      return std::nullopt;
    for (Value operand : op->getOperands())
      if (isa<tileaa::TokenType>(operand.getType()))
        seen.insert(operand);
  }
  return entry;
}

void tilewright::eraseFromTokens(Operation *load, Value token) {
  if (!token) {
    OpBuilder builder(load);
    token = tileaa::MakeTokenOp::create(builder, load->getLoc());
  }
  load->getResult(1).replaceAllUsesWith(token);
  load->erase();
}
