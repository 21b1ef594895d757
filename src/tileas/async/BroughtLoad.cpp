// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/BroughtLoad.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/CopyWidth.h"
#include "tileas/memory/ValueFlow.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// The rounding to tf32 of what a change of layout gives, if all it does is to be the left operand of warpgroups.
tileaa::ConvertOp roundingAfter(ConvertLayoutOp read) {
  tileaa::ConvertOp rounding;
  Value tile = read.getResult();
  while (tile.hasOneUse()) {
    Operation *user = *tile.user_begin();
    if (user->getBlock() != read->getBlock())
      break;
    if (auto mma = dyn_cast<MmaOp>(user))
      return mma.getAtom().getKind() == AtomKind::Wgmma && mma.getLhs() == tile ? rounding : tileaa::ConvertOp();
    auto convert = dyn_cast<tileaa::ConvertOp>(user);
    if (convert && roundsOnTheWay(convert))
      rounding = convert;
    else if (!isa<tileaa::PermuteOp>(user))
      break;
    tile = user->getResult(0);
  }
  return {};
}

} // namespace

bool tileas::canGather(tileaa::LoadPtrOp load, BufferType buffer, const TileSlopes &slopes) {
  return !obstacleToCopies(load) && isa<RankedTensorType>(load.getAddresses().getType()) &&
         bytesOfCopy(load.getAddresses(), load.getMask(), buffer, slopes) >= leastCopy;
}

std::optional<BroughtLoad> tileas::broughtLoad(AllocOp alloc, const TileSlopes &slopes) {
  BroughtLoad brought;
  SmallVector<Operation *> uses;
  for (Operation *user : alloc->getUsers()) {
    if (auto found = dyn_cast<WriteOp>(user); found && !brought.write)
      brought.write = found;
    else if (multipliesByHardware(user))
      uses.push_back(user);
    else
      return std::nullopt;
  }
  if (!brought.write || uses.empty())
    return std::nullopt;
  brought.alloc = alloc;
  brought.buffer = alloc.getBuffer().getType();
  brought.gathered = brought.write.getTile().getDefiningOp<tileaa::LoadPtrOp>();
  if (!brought.gathered) {
    auto loaded = broughtTile(brought.write.getTile());
    if (!loaded)
      return std::nullopt;
    brought.tile = *loaded;
  }
  TileLoad load = brought.load();
  bool isOnlyRead =
      load.tile().hasOneUse() && llvm::all_of(brought.tile.through, [](Operation *op) { return op->hasOneUse(); });
  if (!isOnlyRead || load->getBlock() != brought.write->getBlock())
    return std::nullopt;
  for (Operation *&use : uses) {
    use = load->getBlock()->findAncestorOpInBlock(*use);
    if (!use || use->isBeforeInBlock(brought.write))
      return std::nullopt;
  }
  auto isBefore = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
  brought.firstUse = *llvm::min_element(uses, isBefore);
  brought.lastUse = *llvm::max_element(uses, isBefore);
  // The producer waits for nothing that the consumers do.
  bool comesFirst = tokensAtEntry(load->getParentOfType<func::FuncOp>().getBody(), load.token()).has_value();
  if (brought.gathered)
    return comesFirst && canGather(brought.gathered, brought.buffer, slopes) ? std::optional(brought) : std::nullopt;
  tileaa::LoadViewOp box = brought.tile.load;
  auto refuse = [&](const Twine &why) {
    box.emitRemark() << "is not copied by the tensor memory accelerator: " << why;
    tileaa::answerWithoutTma(box, why);
    return std::nullopt;
  };
  if (box.getPadding() && *box.getPadding() != "zero")
    return refuse("it is padded with " + *box.getPadding());
  if (!comesFirst)
    return refuse("it comes after what the kernel writes");
  std::string why;
  auto access = describeTmaAccess(box, box.getView(), brought.tile.dimMap, brought.buffer.getShape(), why);
  if (!access)
    return refuse(why);
  if (access->layout != brought.buffer.getLayout().getLayout())
    return std::nullopt;
  brought.access = *access;
  return brought;
}

std::optional<BroughtLoad> tileas::broughtLoad(ConvertLayoutOp read) {
  tileaa::ConvertOp rounding = roundingAfter(read);
  auto load = read.getSource().getDefiningOp<tileaa::LoadViewOp>();
  if (!rounding || !load || !read.getSource().hasOneUse() || load->getBlock() != read->getBlock() ||
      (load.getPadding() && *load.getPadding() != "zero") ||
      !tokensAtEntry(load->getParentOfType<func::FuncOp>().getBody(), load.getToken()))
    return std::nullopt;
  auto type = cast<RankedTensorType>(load.getTile().getType());
  std::string why;
  auto access = describeTmaAccess(load, load.getView(), load.getDimMap(), type.getShape(), why);
  if (!access) {
    tileaa::answerWithoutTma(load, why);
    return std::nullopt;
  }
  BroughtTile tile{{load, llvm::to_vector(load.getDimMap()), {}}, rounding.getTo()};
  auto layout = LayoutAttr::get(read.getContext(), access->layout);
  auto buffer = BufferType::get(read.getContext(), type.getShape(), type.getElementType(), layout);
  return BroughtLoad{tile, {}, buffer, {}, {}, read, rounding, *access, read, read};
}
