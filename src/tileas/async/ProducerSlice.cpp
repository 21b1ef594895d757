// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/ProducerSlice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/memory/ValueFlow.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// The load that makes what an operation gives: itself, or the one whose tile gets another layout.
tileaa::LoadViewOp viewLoadOf(Operation *op) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return convert.getSource().getDefiningOp<tileaa::LoadViewOp>();
  return dyn_cast<tileaa::LoadViewOp>(op);
}

// Tokens are not among them: nothing that the function does comes before such a load.
SmallVector<Value> operandsOf(Operation *op) {
  if (tileaa::LoadViewOp load = viewLoadOf(op))
    op = load;
  return llvm::filter_to_vector(op->getOperands(),
                                [](Value value) { return !isa<tileaa::TokenType>(value.getType()); });
}

// Of more than one element, which each thread has.
bool hasTile(TypeRange types) {
  return llvm::any_of(types, [](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getNumElements() > 1;
  });
}

} // namespace

bool ProducerSlice::addLoad(TileLoad load) {
  if (!addParents(load))
    return false;
  if (tileaa::LoadViewOp ofView = load.ofView())
    return addAll(ofView.getOffsets());
  tileaa::LoadPtrOp gather = load.ofAddresses();
  return add(gather.getAddresses()) && (!gather.getMask() || add(gather.getMask()));
}

bool ProducerSlice::addAll(ValueRange range) {
  return llvm::all_of(range, [&](Value value) { return add(value); });
}

bool ProducerSlice::addParents(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent != function; parent = parent->getParentOp()) {
    if (!ops.insert(parent).second)
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (!addAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
        return false;
    } else if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      if (!add(branch.getCondition()))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

bool ProducerSlice::add(Value value) {
  if (!values.insert(value).second)
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == function)
      return true;
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop || isa<RankedTensorType>(value.getType()) || !addParents(&argument.getOwner()->front()))
      return false;
    if (argument == loop.getInductionVar())
      return true;
    unsigned index = argument.getArgNumber() - 1;
    return add(loop.getInitArgs()[index]) && add(loop.getYieldedValues()[index]) && add(loop.getResult(index));
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    ops.insert(op);
    return addParents(op) && addAll({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) &&
           add(loop.getRegionIterArg(index));
  }
  if (!canCompute(op))
    return false;
  ops.insert(op);
  return addParents(op) && addAll(operandsOf(op));
}

bool ProducerSlice::canCompute(Operation *op) {
  bool mayLoad = hasTiles || !hasTile(op->getResultTypes());
  if (tileaa::LoadViewOp load = viewLoadOf(op))
    return mayLoad && comesFirst(load.getToken());
  if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
    return mayLoad && !load.getOrdering() && comesFirst(load.getToken());
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return false;
  return (!hasTile(op->getOperandTypes()) && !hasTile(op->getResultTypes())) || (hasTiles && staysInThreads(op));
}

bool ProducerSlice::comesFirst(Value token) {
  return tokensAtEntry(function.getBody(), token).has_value();
}

void ProducerSlice::copy(Operation *op, unsigned warps, IRMapping &mapping, OpBuilder &builder) {
  tileaa::LoadViewOp load = viewLoadOf(op);
  Operation *now = builder.clone(load ? *load.getOperation() : *op, mapping);
  for (auto [old, result] : llvm::zip(op->getResults(), now->getResults())) {
    if (auto tile = dyn_cast<RankedTensorType>(old.getType()))
      retype(cast<OpResult>(result), typeWith(tile.getElementType(), inWarps(layoutOf(tile), warps)));
    mapping.map(old, result);
  }
  if (TileLoad::classof(now))
    TileLoad(now).dropToken();
}
