// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/agents/ProducerGroups.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;
using tileas::ProducerGroup;
using tileas::ProducerLoad;

SmallVector<bool> ProducerGroup::byThreads() const {
  return llvm::map_to_vector(loads, [](const ProducerLoad &staged) { return staged.isByThreads(); });
}

bool ProducerGroup::hasGathered() const {
  return llvm::any_of(loads, [](const ProducerLoad &staged) { return bool(staged.gathered); });
}

Operation *ProducerGroup::lastUse() const {
  auto isBefore = [](const ProducerLoad &a, const ProducerLoad &b) { return a.lastUse->isBeforeInBlock(b.lastUse); };
  return llvm::max_element(loads, isBefore)->lastUse;
}

Operation *tileas::outermostLoop(Operation *op) {
  Operation *outermost = nullptr;
  for (Operation *parent = op; !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return outermost;
}

static bool isStaged(tileas::WriteOp write, ArrayRef<ProducerGroup> groups) {
  return llvm::any_of(groups, [&](const ProducerGroup &group) {
    return llvm::any_of(group.loads, [&](const ProducerLoad &staged) {
      return llvm::any_of(staged.buffers, [&](const tileas::StagedBuffer &buffer) { return buffer.write == write; });
    });
  });
}

// Whether another operand that products read with the group's is loaded by the threads that multiply.
static bool isLoadedBeside(const ProducerGroup &group, Value operand, ArrayRef<ProducerGroup> groups) {
  for (Operation *user : operand.getUsers()) {
    auto write = dyn_cast<tileas::WriteOp>(user);
    if (!write || write.getBuffer() != operand || write->getBlock() != group.block() || isStaged(write, groups))
      continue;
    bool isGathered = write.getTile().getDefiningOp<tileaa::LoadPtrOp>() != nullptr;
    if (isGathered || (group.hasGathered() && tileas::stagedTile(write.getTile())))
      return true;
  }
  return false;
}

// Rows are gathered by a producer with the other operands, or not at all: the threads that multiply would wait for one
// after the producer has loaded another.
static bool isWhole(const ProducerGroup &group, ArrayRef<ProducerGroup> groups) {
  // A commit arrives when copies have come, or at once.
  if (group.hasGathered() &&
      llvm::any_of(group.loads, [](const ProducerLoad &staged) { return staged.turning.has_value(); }))
    return false;
  auto isReadBesideOthers = [&](const tileas::StagedBuffer &buffer) {
    return llvm::any_of(buffer.alloc->getUsers(), [&](Operation *user) {
      return llvm::any_of(user->getOperands(), [&](Value operand) { return isLoadedBeside(group, operand, groups); });
    });
  };
  return llvm::none_of(group.loads,
                       [&](const ProducerLoad &staged) { return llvm::any_of(staged.buffers, isReadBesideOthers); });
}

std::vector<ProducerGroup> tileas::findProducerGroups(func::FuncOp function) {
  llvm::MapVector<Operation *, ProducerGroup> groups;
  tileas::TileSlopes slopes(function);
  function.walk([&](tileas::AllocOp alloc) {
    if (auto staged = tileas::producerLoad(alloc, slopes))
      groups[staged->firstUse].loads.push_back(*staged);
  });
  DenseSet<Operation *> copied;
  for (auto &[use, group] : groups)
    for (const ProducerLoad &staged : group.loads)
      copied.insert(staged.load());
  function.walk([&](tileaa::LoadViewOp load) {
    if (copied.contains(load))
      return;
    if (auto staged = tileas::producerLoad(load))
      groups[staged->firstUse].loads.push_back(*staged);
  });
  std::vector<ProducerGroup> found;
  for (auto &[use, group] : groups)
    found.push_back(std::move(group));
  // The threads load the tiles of one that is taken out, beside those of others.
  auto isBroken = [&](const ProducerGroup &group) { return !isWhole(group, found); };
  for (auto broken = llvm::find_if(found, isBroken); broken != found.end(); broken = llvm::find_if(found, isBroken))
    found.erase(broken);
  return found;
}
