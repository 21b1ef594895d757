// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/work/DescribeAccess.h"

#include "tileas/analysis/PointerMemory.h"
#include "tileas/analysis/ViewMemory.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;
using predict::Access;

namespace {

constexpr unsigned lineBytes = 128;

unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) : 64;
}

int64_t countOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

// Instructions of a warp, and the lines that each of them touches: lanes along the contiguous dimension share them.
void countRequests(Access &access, const layout::LinearLayout &layout, const layout::TileMemory &memory) {
  unsigned vectorBits = layout::vectorRegisters(layout, memory).size();
  uint64_t registers = layout.inputSize(Dim::Register) >> llvm::popcount(layout.freeBits(Dim::Register));
  access.requests = std::max<double>(1, double(registers >> vectorBits));
  std::optional<unsigned> contiguous = memory.contiguousDim();
  double neighbours = 1, rows = 1;
  for (layout::F2Vector basis : layout.basisOf(Dim::Lane)) {
    if (basis == 0)
      continue;
    bool isAlong = contiguous && layout.coordinate(basis, layout::tileDim(*contiguous)) != 0;
    (isAlong ? neighbours : rows) *= 2;
  }
  double bytes = neighbours * (1 << vectorBits) * memory.elementBits / 8;
  access.lines = rows * std::max(1.0, bytes / lineBytes);
}

void placeInView(Access &access, const DescribeScalars::View &view, ValueRange offsets, ArrayRef<int64_t> dimMap,
                 Type tile, DescribeScalars &scalars) {
  access.base = view.base;
  access.shape = view.shape;
  access.strides = view.strides;
  for (Value offset : offsets)
    access.offsets.push_back(scalars.of(offset));
  access.extents.assign(offsets.size(), 1);
  if (auto shaped = dyn_cast<RankedTensorType>(tile))
    for (auto [dim, extent] : llvm::enumerate(shaped.getShape()))
      access.extents[dimMap[dim]] = extent;
}

Access byAddresses(Value addresses, Value mask, Type tile, DescribeScalars &scalars, const TileSlopes &slopes) {
  Access access;
  access.elementBits = bitsOf(tile);
  access.identity = scalars.of(addresses);
  access.count = countOf(addresses.getType());
  if (!hasLayout(addresses.getType())) {
    access.requests = 1;
    return access;
  }
  int64_t bytes = access.elementBits / 8;
  for (const Slope &slope : slopes.of(addresses))
    if (slope.step == bytes)
      access.run = std::max(access.run, slope.run);
  auto memory = memoryOf(addresses, mask, bytes, slopes);
  const layout::LinearLayout &layout = layoutOf(addresses);
  if (memory)
    countRequests(access, layout, *memory);
  else
    countRequests(access, layout, {SmallVector<layout::MemoryDim>(layout.outputs().size()), bytes, access.elementBits});
  return access;
}

// The tile that a tensor map's box makes, or several boxes along a dimension.
Access byTma(Value desc, ValueRange offsets, int64_t splitDim, int64_t boxes, DescribeScalars &scalars) {
  Access access;
  access.way = Access::Way::Tma;
  DescribeScalars::View view{predict::noScalar, {}, {}};
  Type element;
  if (auto argument = dyn_cast<BlockArgument>(desc)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    SmallVector<TmaDescAttr> all = tmaDescsOf(function);
    TmaDescAttr attribute = all[argument.getArgNumber() - (function.getNumArguments() - all.size())];
    view = scalars.viewOf(attribute);
    element = attribute.getElement();
  } else if (auto written = desc.getDefiningOp<WriteTmaDescsOp>()) {
    unsigned number = cast<OpResult>(desc).getResultNumber();
    view = scalars.viewOf(written.getViews()[number]);
    element = cast<tileaa::ViewType>(written.getViews()[number].getType()).getElementType();
  } else if (auto made = desc.getDefiningOp<MakeTmaDescOp>()) {
    view = scalars.viewOf(made.getView());
    element = cast<tileaa::ViewType>(made.getView().getType()).getElementType();
  }
  access.elementBits = element ? bitsOf(element) : 8;
  access.base = view.base;
  access.shape = view.shape;
  access.strides = view.strides;
  for (Value offset : offsets)
    access.offsets.push_back(scalars.of(offset));
  ArrayRef<int64_t> box = boxOf(desc);
  access.extents.assign(box.begin(), box.end());
  if (splitDim < int64_t(access.extents.size()))
    access.extents[splitDim] *= boxes;
  access.requests = boxes;
  return access;
}

Access ofView(Value view, ValueRange offsets, ArrayRef<int64_t> dimMap, Type tile, DescribeScalars &scalars) {
  Access access;
  access.elementBits = bitsOf(tile);
  placeInView(access, scalars.viewOf(view), offsets, dimMap, tile, scalars);
  access.requests = 1;
  if (hasLayout(tile))
    countRequests(access, layoutOf(cast<RankedTensorType>(tile)),
                  memoryOf(view, offsets, dimMap, cast<RankedTensorType>(tile).getShape()));
  return access;
}

} // namespace

std::optional<Access> tileas::describeAccess(Operation *op, DescribeScalars &scalars, const TileSlopes &slopes) {
  auto as = [](Access access, Access::Way way, bool isRead, bool isWritten) {
    access.way = way;
    access.isRead = isRead;
    access.isWritten = isWritten;
    return std::optional(std::move(access));
  };
  using Way = Access::Way;
  using Result = std::optional<Access>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](tileaa::LoadViewOp load) -> Result {
        Access access = ofView(load.getView(), load.getOffsets(), load.getDimMap(), load.getTile().getType(), scalars);
        if (hasLayout(load.getTile().getType()))
          if (const layout::LinearLayout &layout = layoutOf(cast<RankedTensorType>(load.getTile().getType()));
              !shiftedRegisters(load, layout).empty()) {
            countRequests(access, layout, layout::asAligned(memoryOf(load)));
            access.requests *= 2;
          }
        return as(std::move(access), Way::Threads, true, false);
      })
      .Case([&](tileaa::StoreViewOp store) -> Result {
        return as(ofView(store.getView(), store.getOffsets(), store.getDimMap(), store.getTile().getType(), scalars),
                  Way::Threads, false, true);
      })
      .Case([&](tileaa::LoadPtrOp load) -> Result {
        return as(byAddresses(load.getAddresses(), load.getMask(), load.getTile().getType(), scalars, slopes),
                  Way::Threads, true, false);
      })
      .Case([&](tileaa::StorePtrOp store) -> Result {
        return as(byAddresses(store.getAddresses(), store.getMask(), store.getTile().getType(), scalars, slopes),
                  Way::Threads, false, true);
      })
      .Case<tileaa::AtomicRmwOp, tileaa::AtomicCasOp>([&](auto atomic) -> Result {
        Access access =
            byAddresses(atomic.getAddresses(), atomic.getMask(), atomic.getValue().getType(), scalars, slopes);
        return as(std::move(access), Way::Atomics, true, true);
      })
      .Case([&](AsyncLoadOp load) -> Result {
        BufferType buffer = load.getPipeline().getType().getBuffers()[load.getIndex()];
        Access access;
        access.elementBits = bitsOf(buffer.getElementType());
        auto tile = RankedTensorType::get(buffer.getShape(), buffer.getElementType());
        placeInView(access, scalars.viewOf(load.getView()), load.getOffsets(), load.getDimMap(), tile, scalars);
        const layout::LinearLayout &layout = load.getLayout().getLayout();
        countRequests(access, layout, memoryOf(load.getView(), load.getOffsets(), load.getDimMap(), buffer.getShape()));
        return as(std::move(access), Way::Copies, true, false);
      })
      .Case([&](AsyncLoadPtrOp load) -> Result {
        BufferType buffer = load.getPipeline().getType().getBuffers()[load.getIndex()];
        Access access = byAddresses(load.getAddresses(), load.getMask(), buffer.getElementType(), scalars, slopes);
        return as(std::move(access), Way::Copies, true, false);
      })
      .Case([&](TmaLoadOp load) -> Result {
        Access access = byTma(load.getDesc(), load.getOffsets(), load.getSplitDim(), load.getBoxes(), scalars);
        access.extents[load.getRowDim()] *= load.getRowBoxes();
        access.requests *= load.getRowBoxes();
        if (load.getShared()) {
          access.cluster = clusterOf(load->getParentOfType<func::FuncOp>());
          access.isShared = scalars.of(load.getShared());
        }
        return as(std::move(access), Way::Tma, true, false);
      })
      .Case([&](TmaStoreOp store) -> Result {
        return as(byTma(store.getDesc(), store.getOffsets(), store.getSplitDim(), store.getBoxes(), scalars), Way::Tma,
                  false, true);
      })
      .Default([](Operation *) { return std::nullopt; });
}
