// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/ViewMemory.h"

#include "layout/Distributed.h"
#include "tileaa/analysis/Divisor.h"

using namespace mlir;
using namespace tilewright;

layout::TileMemory tileas::memoryOf(Value view, ValueRange offsets, ArrayRef<int64_t> dimMap, ArrayRef<int64_t> shape) {
  auto type = cast<tileaa::ViewType>(view.getType());
  auto make = view.getDefiningOp<tileaa::MakeViewOp>();
  int64_t bytes = std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
  auto divisorOfStride = [&](unsigned viewDim) -> int64_t {
    int64_t known = type.getStrides()[viewDim];
    if (!ShapedType::isDynamic(known))
      return known == 0 ? 1 << 20 : known & -known;
    if (!make)
      return 1;
    size_t index = llvm::count(type.getStrides().take_front(viewDim), ShapedType::kDynamic);
    return tileaa::knownDivisor(make.getDynamicStrides()[index]);
  };
  layout::TileMemory memory;
  memory.elementBits = bytes * 8;
  memory.alignment = make ? std::min<int64_t>(tileaa::knownDivisor(make.getBase()), 16) : bytes;
  for (auto [viewDim, offset] : llvm::enumerate(offsets)) {
    int64_t step = std::min<int64_t>(tileaa::knownDivisor(offset), 1 << 20) *
                   std::min<int64_t>(divisorOfStride(viewDim), 1 << 20) * bytes;
    memory.alignment = std::min(memory.alignment, step & -step);
  }
  for (int64_t viewDim : dimMap) {
    int64_t known = type.getStrides()[viewDim];
    memory.dims.push_back(
        {ShapedType::isDynamic(known) ? std::nullopt : std::optional<int64_t>(known), divisorOfStride(viewDim)});
  }
  return memory;
}

layout::TileMemory tileas::memoryOf(tileaa::LoadViewOp load) {
  return memoryOf(load.getView(), load.getOffsets(), load.getDimMap(),
                  cast<RankedTensorType>(load.getTile().getType()).getShape());
}

// A vector begins at a multiple of its width in the view, so that its first element is inside where any is.
static bool mayShift(tileaa::LoadViewOp load, const layout::TileMemory &memory) {
  std::optional<unsigned> contiguous = memory.contiguousDim();
  return contiguous &&
         tileaa::knownDivisor(load.getOffsets()[load.getDimMap()[*contiguous]]) % (128 / memory.elementBits) == 0;
}

std::optional<layout::TileMemory> tileas::memoryOfShifted(tileaa::LoadViewOp load) {
  layout::TileMemory memory = memoryOf(load);
  auto shape = cast<RankedTensorType>(load.getTile().getType()).getShape();
  if (!mayShift(load, memory) || !layout::gainsByShifts(memory, memory.alignedElements(shape)))
    return std::nullopt;
  return layout::asAligned(memory);
}

SmallVector<unsigned> tileas::shiftedRegisters(tileaa::LoadViewOp load, const layout::LinearLayout &layout) {
  layout::TileMemory memory = memoryOf(load);
  return mayShift(load, memory) ? layout::shiftedRegisters(layout, memory, elementsAtOnce(load, layout))
                                : SmallVector<unsigned>();
}

SmallVector<unsigned> tileas::orderOf(const layout::TileMemory &memory) {
  SmallVector<unsigned> order = layout::rowMajorOrder(memory.dims.size());
  if (std::optional<unsigned> contiguous = memory.contiguousDim()) {
    llvm::erase(order, *contiguous);
    order.insert(order.begin(), *contiguous);
  }
  return order;
}

int64_t tileas::elementsAtOnce(tileaa::LoadViewOp load, const layout::LinearLayout &layout) {
  layout::TileMemory memory = memoryOf(load);
  std::optional<unsigned> contiguous = memory.contiguousDim();
  if (!contiguous)
    return 1;
  int64_t count = int64_t(1) << layout::vectorRegisters(layout, memory).size();
  unsigned viewDim = load.getDimMap()[*contiguous];
  if (load.getInbounds() && (*load.getInbounds())[viewDim])
    return count;
  auto type = cast<tileaa::ViewType>(load.getView().getType());
  auto make = load.getView().getDefiningOp<tileaa::MakeViewOp>();
  int64_t extent = type.getShape()[viewDim];
  int64_t divisor = 1;
  if (!ShapedType::isDynamic(extent))
    divisor = extent & -extent;
  else if (make)
    divisor = tileaa::knownDivisor(
        make.getDynamicShape()[llvm::count(type.getShape().take_front(viewDim), ShapedType::kDynamic)]);
  if (divisor)
    count = std::min(count, divisor);
  return std::min(count, tileaa::knownDivisor(load.getOffsets()[viewDim]));
}
