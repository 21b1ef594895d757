// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_tileas/AccessLayouts.h"

#include "tileaa/analysis/Divisor.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

static layout::TileMemory rowMajor(ArrayRef<int64_t> shape, unsigned bits) {
  layout::TileMemory memory;
  memory.alignment = 16;
  memory.elementBits = bits;
  memory.dims.resize(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- != 0; stride *= shape[dim])
    memory.dims[dim].stride = stride;
  return memory;
}

LinearLayout tilewright::defaultLayout(ArrayRef<int64_t> shape, int64_t warps) {
  return accessLayout(shape, rowMajor(shape, 32), warps);
}

LinearLayout tilewright::accessLayout(ArrayRef<int64_t> shape, const layout::TileMemory &memory, int64_t warps) {
  return layout::blockedLayout(layout::chooseBlocked(shape, memory, warps), shape);
}

layout::TileMemory tilewright::memoryOf(Value view, ValueRange offsets, ArrayRef<int64_t> dimMap,
                                        ArrayRef<int64_t> shape) {
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

bool tilewright::isMuchWorse(const LinearLayout &layout, const LinearLayout &best, const layout::TileMemory &memory) {
  auto cost = [&](const LinearLayout &candidate) {
    uint64_t width = uint64_t(1) << layout::vectorRegisters(candidate, memory).size();
    uint64_t instructions = std::max<uint64_t>(1, candidate.withoutFreeRegisters().inputSize(Dim::Register) / width);
    return std::pair(instructions * layout::sectorsPerRequest(candidate, memory), instructions);
  };
  auto [sectors, instructions] = cost(layout);
  auto [fewestSectors, fewestInstructions] = cost(best);
  return sectors >= 2 * fewestSectors || instructions >= 4 * fewestInstructions;
}
