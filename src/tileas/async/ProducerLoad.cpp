// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/ProducerLoad.h"

#include "layout/Distributed.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tileaa/ir/Hints.h"
#include "tileas/analysis/CopyWidth.h"
#include "tileas/ir/RegisterPool.h"
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

// How the producer's threads hold a tile whose dimension `from` is contiguous in memory and whose dimension `to` in the
// buffer: each loads some bytes of 16 rows, and writes 16 bytes of some columns. Neighbouring lanes write neighbouring
// groups of 16 of a column, so that no banks conflict, and four lanes load 32 bytes of a row.
//
//   128x128 bytes: a thread has 16x8, a warp 8x4 threads, and the four warps stand side by side
static layout::LinearLayout turningLayout(ArrayRef<int64_t> shape, unsigned from, unsigned to) {
  constexpr int64_t column = 16, row = 8, lanes = layout::kLanes, warps = warpsOfProducer;
  int64_t inColumn = std::min(column, shape[to]);
  int64_t inRow = std::clamp<int64_t>(shape[0] * shape[1] / (lanes * warps * inColumn), 1, std::min(row, shape[from]));
  int64_t lanesTo = std::min<int64_t>(8, shape[to] / inColumn), lanesFrom = lanes / lanesTo;
  int64_t warpsFrom = std::clamp<int64_t>(shape[from] / (inRow * lanesFrom), 1, warps);
  // A thread's registers in the order in which they are loaded, so that words of them are passed on as they are.
  auto box = [&](layout::Dim in, int64_t alongTo, int64_t alongFrom, unsigned first) {
    int64_t counts[2];
    counts[to] = alongTo, counts[from] = alongFrom;
    return layout::grid(in, counts, {first, 1 - first});
  };
  return layout::fitToShape(box(layout::Dim::Register, inColumn, inRow, from) *
                                box(layout::Dim::Lane, lanesTo, lanesFrom, to) *
                                box(layout::Dim::Warp, warps / warpsFrom, warpsFrom, from),
                            shape, {from, to});
}

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

// Whether the buffer has other elements side by side than memory, in bytes, which no copy exchanges.
static bool isTurned(const ProducerLoad &staged, ArrayRef<int64_t> shape) {
  return shape.size() == 2 && staged.buffer.getElementType().getIntOrFloatBitWidth() == 8 && !staged.tile.format &&
         staged.buffer.getLayout().getLayout().basis(layout::Dim::Offset, 0,
                                                     layout::tileDim(orderOf(staged.tile, shape).front())) == 0;
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
  ArrayRef<int64_t> shape = staged.buffer.getShape();
  if (isTurned(staged, shape)) {
    if (!comesFirst || staged.buffers.size() != 1)
      return std::nullopt;
    unsigned from = orderOf(staged.tile, shape).front();
    staged.turning = turningLayout(shape, from, 1 - from);
    return staged;
  }
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
