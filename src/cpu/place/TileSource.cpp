// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/TileSource.h"

#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

// Chains of scalar arithmetic beyond this are not followed.
static constexpr unsigned maxDepth = 200;

// The same in all blocks of a launch: computed from parameters alone.
bool TileSource::isLaunchConstant(Value value, unsigned depth) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (isa<tileaa::NumBlocksOp>(op))
    return true;
  if (depth == maxDepth || isa<tileaa::BlockIdOp, memref::AllocOp>(op) || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return false;
  auto known = constants.find(op);
  if (known != constants.end())
    return known->second;
  bool result = llvm::all_of(op->getOperands(), [&](Value operand) { return isLaunchConstant(operand, depth + 1); });
  return constants[op] = result;
}

std::optional<TileSource> TileSource::of(Value buffer, scf::ForOp loop) {
  TileSource source(loop);
  // A loop that begins elsewhere in every block shares nothing.
  if (!source.isLaunchConstant(loop.getLowerBound(), 0) || !source.isLaunchConstant(loop.getStep(), 0) ||
      !source.add(buffer))
    return std::nullopt;
  source.arrays = ArraySet::ofAddress(buffer);
  return source;
}

bool TileSource::add(Value value, unsigned depth) {
  if (value == loop.getInductionVar() || isLaunchConstant(value, 0) || !seen.insert(value).second)
    return true;
  bool isInside = loop.getRegion().isAncestor(value.getParentRegion());
  if (!isInside && value.getType().isIntOrIndex() && !value.getType().isInteger(128)) {
    keys.insert(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return false;
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return isInside && addCopy(choice, depth + 1);
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && !isa<memref::AllocOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return add(operand, depth + 1); });
}

// An edge tile: either the array itself or a copy of what exists of it.
bool TileSource::addCopy(scf::IfOp choice, unsigned depth) {
  if (!add(choice.getCondition(), depth))
    return false;
  auto isKnown = [&](Operation *op) {
    SmallVector<Value> operands(op->getOperands());
    if (auto copy = dyn_cast<CopyInOp>(op)) {
      if (!isOwnScratch(copy.getDestination(), choice))
        return false;
      operands = {copy.getSource(), copy.getPadding()};
    } else if (auto cast = dyn_cast<memref::CastOp>(op); cast && isOwnScratch(cast.getSource(), choice)) {
      return true;
    } else if (op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || isa<scf::YieldOp>(op))) {
      return false;
    }
    return llvm::all_of(operands, [&](Value operand) {
      return choice->isProperAncestor(operand.getParentBlock()->getParentOp()) ||
             choice == operand.getParentBlock()->getParentOp() || isOwnScratch(operand, choice) || add(operand, depth);
    });
  };
  for (Region &region : choice->getRegions())
    for (Operation &op : region.getOps())
      if (!isKnown(&op))
        return false;
  return true;
}

// Memory without other users: its contents are those that were copied.
bool TileSource::isOwnScratch(Value buffer, scf::IfOp choice) const {
  if (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer.getDefiningOp<memref::AllocOp>() &&
         llvm::all_of(buffer.getUsers(), [&](Operation *user) { return choice->isProperAncestor(user); });
}

bool TileSource::isWritten(const ArraySet &arrays) const {
  auto function = loop->getParentOfType<func::FuncOp>();
  auto isWrite = [&](Value place) {
    Type type = getElementTypeOrSelf(place.getType());
    bool mayHoldAddress = isa<BaseMemRefType>(place.getType()) || type.isInteger(64);
    return mayHoldAddress && ArraySet::ofAddress(place).mayOverlap(arrays);
  };
  return function
      .walk([&](Operation *op) {
        if (op->getNumRegions() != 0 && !isa<DestinationStyleOpInterface>(op))
          return WalkResult::advance();
        bool writes = false;
        if (auto work = dyn_cast<DestinationStyleOpInterface>(op))
          writes = llvm::any_of(work.getDpsInits(), isWrite);
        else if (auto copy = dyn_cast<CopyInOp>(op))
          writes = isWrite(copy.getDestination());
        else if (auto copy = dyn_cast<CopyOutOp>(op))
          writes = isWrite(copy.getDestination());
        else if (std::optional<AddressAccess> access = accessThroughAddress(op))
          writes = access->writes && access->arrays.mayOverlap(arrays);
        else if (!isMemoryEffectFree(op) && !hasSingleEffect<MemoryEffects::Read>(op))
          writes = llvm::any_of(op->getOperands(), isWrite);
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
