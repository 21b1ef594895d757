// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/ProducerLoad.h"

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

// The writes of a tile into buffers, also of what has its dimensions in another order; nothing if others read it.
std::optional<SmallVector<WriteOp>> writesOf(Value tile) {
  SmallVector<WriteOp> writes;
  SmallVector<Value> tiles{tile};
  while (!tiles.empty())
    for (Operation *user : tiles.pop_back_val().getUsers()) {
      if (auto write = dyn_cast<WriteOp>(user))
        writes.push_back(write);
      else if (isa<tileaa::PermuteOp, tileaa::ReshapeOp, tileaa::ConvertOp>(user))
        tiles.push_back(user->getResult(0));
      else
        return std::nullopt;
    }
  if (!llvm::all_of(writes, [&](WriteOp write) { return write->getBlock() == writes.front()->getBlock(); }))
    return std::nullopt;
  llvm::sort(writes, [](WriteOp a, WriteOp b) { return a->isBeforeInBlock(b); });
  return writes;
}

// Whether a write puts the staged tile's bytes where the stage's buffer has them.
bool isSameBytes(StagedBuffer other, const ProducerLoad &staged) {
  auto tile = stagedTile(other.write.getTile());
  if (!other.alloc || !tile || tile->load != staged.tile.load || tile->format != staged.tile.format ||
      tile->dimMap.size() != staged.tile.dimMap.size())
    return false;
  SmallVector<unsigned> permutation;
  for (int64_t dim : tile->dimMap)
    permutation.push_back(llvm::find(staged.tile.dimMap, dim) - staged.tile.dimMap.begin());
  if (llvm::is_contained(permutation, staged.tile.dimMap.size()))
    return false;
  return staged.buffer.getLayout().getLayout().permute(permutation) == other.alloc.getType().getLayout().getLayout();
}

// Adds the products that read a buffer; false if there are none, or others use it.
bool addProducts(StagedBuffer buffer, SmallVector<Operation *> &products) {
  size_t before = products.size();
  for (Operation *user : buffer.alloc->getUsers()) {
    if (user == buffer.write)
      continue;
    if (!multipliesByHardware(user))
      return false;
    products.push_back(user);
  }
  return products.size() != before;
}

} // namespace

// A tile of fewer bytes is loaded as fast by the threads.
static constexpr int64_t leastBytes = 2048;

// Whether threads compute an operand of a product of the loop from the tile.
static bool isComputedOn(tileaa::LoadViewOp load, scf::ForOp loop) {
  auto type = cast<RankedTensorType>(load.getTile().getType());
  return type.getNumElements() * type.getElementTypeBitWidth() >= leastBytes * 8 &&
         feedsProduct(load.getTile(), loop, /*inside=*/false);
}

bool tileas::canGather(tileaa::LoadPtrOp load, BufferType buffer, const TileSlopes &slopes) {
  return !obstacleToCopies(load) && isa<RankedTensorType>(load.getAddresses().getType()) &&
         bytesOfCopy(load.getAddresses(), load.getMask(), buffer, slopes) >= leastCopy;
}

std::optional<ProducerLoad> tileas::producerLoad(AllocOp alloc, const TileSlopes &slopes) {
  ProducerLoad staged;
  SmallVector<Operation *> uses;
  auto written = llvm::find_if(alloc->getUsers(), llvm::IsaPred<WriteOp>);
  if (written == alloc->user_end())
    return std::nullopt;
  auto write = cast<WriteOp>(*written);
  staged.buffers.push_back({alloc, write});
  if (!addProducts(staged.buffers.front(), uses))
    return std::nullopt;
  staged.buffer = alloc.getBuffer().getType();
  staged.gathered = write.getTile().getDefiningOp<tileaa::LoadPtrOp>();
  if (!staged.gathered) {
    auto loaded = stagedTile(write.getTile());
    if (!loaded)
      return std::nullopt;
    staged.tile = *loaded;
  }
  TileLoad load = staged.load();
  if (load->getBlock() != write->getBlock())
    return std::nullopt;
  auto writes = writesOf(load.tile());
  if (!writes || writes->front() != write || (staged.gathered && writes->size() != 1))
    return std::nullopt;
  for (WriteOp again : ArrayRef(*writes).drop_front()) {
    StagedBuffer other{again.getBuffer().getDefiningOp<AllocOp>(), again};
    if (!isSameBytes(other, staged) || !addProducts(other, uses))
      return std::nullopt;
    staged.buffers.push_back(other);
  }
  for (Operation *&use : uses) {
    use = load->getBlock()->findAncestorOpInBlock(*use);
    if (!use || use->isBeforeInBlock(write))
      return std::nullopt;
  }
  auto isBefore = [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); };
  staged.firstUse = *llvm::min_element(uses, isBefore);
  staged.lastUse = *llvm::max_element(uses, isBefore);
  // The producer waits for nothing that the consumers do.
  bool comesFirst = tokensAtEntry(load->getParentOfType<func::FuncOp>().getBody(), load.token()).has_value();
  if (staged.gathered)
    return comesFirst && canGather(staged.gathered, staged.buffer, slopes) ? std::optional(staged) : std::nullopt;
  tileaa::LoadViewOp box = staged.tile.load;
  auto refuse = [&](const Twine &why) {
    box.emitRemark() << "is not copied by the tensor memory accelerator: " << why;
    tileaa::answerWithoutTma(box, why);
    return std::nullopt;
  };
  if (box.getPadding() && *box.getPadding() != tileaa::Padding::Zero)
    return refuse("it is padded with " + tileaa::stringifyPadding(*box.getPadding()));
  if (!comesFirst)
    return refuse("it depends on a write of the kernel");
  std::string why;
  auto access = describeTmaAccess(box, box.getView(), staged.tile.dimMap, staged.buffer.getShape(), why);
  if (!access)
    return refuse(why);
  if (access->layout != staged.buffer.getLayout().getLayout())
    return std::nullopt;
  staged.access = *access;
  return staged;
}

std::optional<ProducerLoad> tileas::producerLoad(tileaa::LoadViewOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getTile().getType());
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!type || !loop || !isComputedOn(load, loop) || (load.getPadding() && *load.getPadding() != tileaa::Padding::Zero))
    return std::nullopt;
  if (!tokensAtEntry(load->getParentOfType<func::FuncOp>().getBody(), load.getToken()))
    return std::nullopt;
  std::string why;
  auto access = describeTmaAccess(load, load.getView(), load.getDimMap(), type.getShape(), why);
  if (!access) {
    tileaa::answerWithoutTma(load, why);
    return std::nullopt;
  }
  ProducerLoad staged;
  staged.read = load.getTile();
  if (load.getTile().hasOneUse())
    if (auto convert = dyn_cast<ConvertLayoutOp>(*load.getTile().user_begin());
        convert && convert->getBlock() == load->getBlock()) {
      staged.read = convert.getResult();
      staged.rounding = roundingAfter(convert);
    }
  staged.tile = {{load, llvm::to_vector(load.getDimMap()), {}}, {}};
  if (staged.rounding)
    staged.tile.format = staged.rounding.getTo();
  staged.buffer = BufferType::get(load.getContext(), type.getShape(), type.getElementType(),
                                  LayoutAttr::get(load.getContext(), access->layout));
  staged.access = *access;
  staged.firstUse = staged.lastUse = staged.read.getDefiningOp();
  return staged;
}
