// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/transforms/BroughtLoad.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileas/transforms/ValueFlow.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// Whether the threads that multiply gather what is in a buffer.
bool isGathered(Value operand) {
  return llvm::any_of(operand.getUsers(), [&](Operation *user) {
    auto write = dyn_cast<WriteOp>(user);
    return write && write.getBuffer() == operand && write.getTile().getDefiningOp<tileaa::LoadPtrOp>();
  });
}

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

std::optional<BroughtLoad> tileas::broughtLoad(AllocOp alloc) {
  WriteOp write;
  SmallVector<Operation *> uses;
  for (Operation *user : alloc->getUsers()) {
    if (auto found = dyn_cast<WriteOp>(user); found && !write)
      write = found;
    else if (multipliesByHardware(user))
      uses.push_back(user);
    else
      return std::nullopt;
  }
  auto loaded = write ? broughtTile(write.getTile()) : std::nullopt;
  if (!loaded || uses.empty())
    return std::nullopt;
  tileaa::LoadViewOp load = loaded->load;
  bool isOnlyRead =
      load.getTile().hasOneUse() && llvm::all_of(loaded->through, [](Operation *op) { return op->hasOneUse(); });
  if (!isOnlyRead || load->getBlock() != write->getBlock())
    return std::nullopt;
  // They would wait for each other's loads, one iteration after another.
  if (llvm::any_of(uses, [](Operation *use) { return llvm::any_of(use->getOperands(), isGathered); }))
    return std::nullopt;
  for (Operation *&use : uses) {
    use = load->getBlock()->findAncestorOpInBlock(*use);
    if (!use || use->isBeforeInBlock(write))
      return std::nullopt;
  }
  if (load.getPadding() && *load.getPadding() != "zero") {
    load.emitRemark() << "is not copied by the tensor memory accelerator: it is padded with " << *load.getPadding();
    return std::nullopt;
  }
  // The producer waits for nothing that the consumers do.
  if (!tokensAtEntry(load->getParentOfType<func::FuncOp>().getBody(), load.getToken())) {
    load.emitRemark() << "is not copied by the tensor memory accelerator: it comes after what the kernel writes";
    return std::nullopt;
  }
  std::string why;
  auto access = describeTmaAccess(load.getView(), loaded->dimMap, alloc.getBuffer().getType().getShape(), why);
  if (!access) {
    load.emitRemark() << "is not copied by the tensor memory accelerator: " << why;
    return std::nullopt;
  }
  if (access->layout != alloc.getBuffer().getType().getLayout().getLayout())
    return std::nullopt;
  auto isBefore = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
  return BroughtLoad{*loaded,
                     alloc.getBuffer().getType(),
                     write,
                     alloc,
                     {},
                     {},
                     *access,
                     *llvm::min_element(uses, isBefore),
                     *llvm::max_element(uses, isBefore)};
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
  auto access = describeTmaAccess(load.getView(), load.getDimMap(), type.getShape(), why);
  if (!access)
    return std::nullopt;
  BroughtTile tile{{load, llvm::to_vector(load.getDimMap()), {}}, rounding.getTo()};
  auto layout = LayoutAttr::get(read.getContext(), access->layout);
  auto buffer = BufferType::get(read.getContext(), type.getShape(), type.getElementType(), layout);
  return BroughtLoad{tile, buffer, {}, {}, read, rounding, *access, read, read};
}
