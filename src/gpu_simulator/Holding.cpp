// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/Holding.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using layout::Dim;
using layout::LinearLayout;

static uint64_t imageOf(const LinearLayout &layout, Dim dim, uint64_t index) {
  uint64_t image = 0;
  for (auto [bit, basis] : llvm::enumerate(layout.basisOf(dim)))
    if (index >> bit & 1)
      image ^= basis;
  return image;
}

void simulator::forEachPlace(RankedTensorType tile, WarpGroup group, llvm::function_ref<void(uint32_t, bool)> visit) {
  if (!tileas::hasLayout(tile)) {
    for (int64_t element = 0; group.count && element != tile.getNumElements(); ++element)
      visit(element, group.first == 0);
    return;
  }
  const LinearLayout &layout = tileas::layoutOf(tile);
  uint64_t registers = layout.inputSize(Dim::Register), lanes = layout.inputSize(Dim::Lane),
           warps = layout.inputSize(Dim::Warp);
  uint64_t copies[] = {layout.redundantBits(Dim::Register), layout.redundantBits(Dim::Lane),
                       layout.redundantBits(Dim::Warp)};
  for (uint64_t warp = group.first; warp != group.first + group.count; ++warp) {
    // Warps that the layout does not know hold copies.
    uint64_t ofWarp = imageOf(layout, Dim::Warp, warp % warps);
    bool isOriginalWarp = warp < warps && !(warp & copies[2]);
    for (uint64_t lane = 0; lane != lanes; ++lane) {
      uint64_t ofLane = ofWarp ^ imageOf(layout, Dim::Lane, lane);
      bool isOriginalLane = isOriginalWarp && !(lane & copies[1]);
      for (uint64_t reg = 0; reg != registers; ++reg)
        visit(ofLane ^ imageOf(layout, Dim::Register, reg), isOriginalLane && !(reg & copies[0]));
    }
  }
}

const Holding &Holdings::of(RankedTensorType tile, WarpGroup group) {
  // For tiles without a layout, the type with elements of i1 is the key of the shape.
  const void *key =
      tileas::hasLayout(tile)
          ? tile.getEncoding().getAsOpaquePointer()
          : RankedTensorType::get(tile.getShape(), IntegerType::get(tile.getContext(), 1)).getAsOpaquePointer();
  std::unique_ptr<Holding> &holding = known[{key, group.first, group.count}];
  if (holding)
    return *holding;
  holding = std::make_unique<Holding>();
  std::vector<bool> isOriginal(tile.getNumElements());
  holding->places.assign(tile.getNumElements(), -1);
  forEachPlace(tile, group, [&](uint32_t element, bool original) {
    holding->places[element] = 0;
    isOriginal[element] = isOriginal[element] || original;
  });
  for (uint32_t element = 0; element != holding->places.size(); ++element) {
    if (holding->places[element] < 0)
      continue;
    holding->places[element] = holding->elements.size();
    if (isOriginal[element])
      holding->originals.push_back(holding->elements.size());
    holding->elements.push_back(element);
  }
  return *holding;
}
