// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/ArrayAlias.h"

#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// The values that an address may be made of, back to parameters, allocas and globals. A query walks a few operations of
// a function that passes are rewriting: a solver of MLIR's data-flow framework would compute all values each time.
class AddressOrigins {
public:
  explicit AddressOrigins(Value address) {
    insert(address);
    for (unsigned next = 0; next < worklist.size(); ++next) {
      Value value = worklist[next].getPointer();
      isFactor = worklist[next].getInt();
      if (auto argument = dyn_cast<BlockArgument>(value))
        visit(argument);
      else
        visit(value, value.getDefiningOp());
    }
  }

  llvm::SetVector<const void *> roots;
  bool mayBeAny = false;

private:
  void visit(BlockArgument argument) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(owner)) {
      // Only a 64-bit parameter can hold an address.
      if (argument.getType().isInteger(64))
        roots.insert(argument.getAsOpaquePointer());
    } else if (auto loop = dyn_cast<linalg::LinalgOp>(owner)) {
      insert(loop.getMatchingOpOperand(argument)->get());
    } else if (auto loop = dyn_cast<LoopLikeOpInterface>(owner)) {
      if (OpOperand *init = loop.getTiedLoopInit(argument)) {
        insert(init->get());
        insert(loop.getTiedLoopYieldedValue(argument)->get());
      }
    } else {
      mayBeAny = true;
    }
  }

  void visit(Value value, Operation *op) {
    if (isa<tileaa::AllocaOp>(op))
      roots.insert(value.getAsOpaquePointer());
    else if (auto global = dyn_cast<tileaa::GetGlobalOp>(op))
      roots.insert(global.getNameAttr().getAttr().getAsOpaquePointer());
    else if (op->getNumRegions() != 0)
      visitRegions(op);
    else if (!isMemoryEffectFree(op) && getElementTypeOrSelf(value.getType()).isInteger(64))
      mayBeAny |= !isFactor; // an address that was itself loaded
    else
      insert(op->getOperands(), isFactor || isa<arith::MulIOp>(op));
  }

  void visitRegions(Operation *op) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      insert(loop.getInits());
      insert(loop.getYieldedValues());
      return;
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        insert(block.getTerminator()->getOperands());
    insert(op->getOperands());
  }

  void insert(ValueRange values) { insert(values, isFactor); }
  void insert(ValueRange values, bool areFactors) {
    for (Value value : values)
      worklist.insert({value, areFactors});
  }

  llvm::SetVector<llvm::PointerIntPair<Value, 1, bool>> worklist; // and whether it is multiplied on the way
  bool isFactor = false; // of the value that is visited: a loaded one is an index
};

} // namespace

ArraySet ArraySet::ofAddress(Value address) {
  AddressOrigins origins(address);
  ArraySet set;
  for (const void *root : origins.roots)
    set.roots.insert(root);
  // An address out of nothing, a constant say, may be any; a buffer that comes from no parameter is scratch.
  set.everything = origins.mayBeAny || (set.roots.empty() && !isa<BaseMemRefType>(address.getType()));
  return set;
}

ArraySet ArraySet::ofArray(ArrayOp array) {
  Value base = array.getAddress();
  while (auto sum = base.getDefiningOp<arith::AddIOp>()) {
    bool isDistance[] = {sum.getLhs().getDefiningOp<arith::IndexCastOp>() != nullptr,
                         sum.getRhs().getDefiningOp<arith::IndexCastOp>() != nullptr};
    if (isDistance[0] == isDistance[1])
      break;
    base = isDistance[0] ? sum.getRhs() : sum.getLhs();
  }
  return ofAddress(base);
}

ArraySet ArraySet::ofEverything() {
  ArraySet set;
  set.everything = true;
  return set;
}

bool ArraySet::mayOverlap(const ArraySet &other) const {
  if (everything || other.everything)
    return true;
  return llvm::any_of(roots, [&](const void *root) { return other.roots.contains(root); });
}

// The written arrays and the ordering. Relaxed orders nothing but accesses of the same element.
static std::optional<AddressAccess> describe(Value address, bool writes,
                                             std::optional<tilewright::tileaa::Ordering> ordering) {
  if (ordering && *ordering != tilewright::tileaa::Ordering::Relaxed)
    return AddressAccess{ArraySet::ofEverything(), true};
  return AddressAccess{ArraySet::ofAddress(address), writes};
}

std::optional<AddressAccess> tilewright::cpu::accessThroughAddress(Operation *op) {
  if (auto load = dyn_cast<PtrLoadOp>(op))
    return describe(load.getAddress(), /*writes=*/false, load.getOrdering());
  if (auto store = dyn_cast<PtrStoreOp>(op))
    return describe(store.getAddress(), /*writes=*/true, store.getOrdering());
  if (auto atomic = dyn_cast<AtomicRmwOp>(op))
    return describe(atomic.getAddress(), /*writes=*/true, atomic.getOrdering());
  if (auto atomic = dyn_cast<AtomicCasOp>(op))
    return describe(atomic.getAddress(), /*writes=*/true, atomic.getOrdering());
  if (isa<tileaa::FenceOp>(op))
    return AddressAccess{ArraySet::ofEverything(), true};
  if (auto loop = dyn_cast<linalg::GenericOp>(op))
    for (Operation &inner : *loop.getBody())
      if (std::optional<AddressAccess> access = accessThroughAddress(&inner))
        return access;
  return std::nullopt;
}

bool tilewright::cpu::hasOrdering(Operation *op) {
  if (auto loop = dyn_cast<linalg::GenericOp>(op))
    return llvm::any_of(*loop.getBody(), [](Operation &inner) { return hasOrdering(&inner); });
  auto load = dyn_cast<PtrLoadOp>(op);
  auto store = dyn_cast<PtrStoreOp>(op);
  return isa<AtomicRmwOp, AtomicCasOp>(op) || (load && load.getOrdering()) || (store && store.getOrdering());
}

SmallVector<Operation *> tilewright::cpu::usersOf(Value tile) {
  SmallVector<Operation *> users;
  for (Operation *user : tile.getUsers()) {
    users.push_back(user);
    // Their results lie in the same bytes.
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(user))
      llvm::append_range(users, usersOf(user->getResult(0)));
  }
  return users;
}

bool tilewright::cpu::mayRunBetween(Operation *write, Operation *read, Operation *use) {
  Block *block = read->getBlock();
  // Outside the region where the value lives nothing runs between its definition and its uses.
  Operation *writeHere = block->findAncestorOpInBlock(*write);
  Operation *useHere = block->findAncestorOpInBlock(*use);
  if (!writeHere || !useHere || writeHere->isBeforeInBlock(read))
    return false;
  // In the same op the write may be of an earlier iteration.
  if (writeHere == useHere)
    return true;
  return writeHere->isBeforeInBlock(useHere);
}
