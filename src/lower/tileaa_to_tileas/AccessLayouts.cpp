// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_tileas/AccessLayouts.h"

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

uint64_t tilewright::instructionsOf(const LinearLayout &layout, const std::optional<layout::TileMemory> &memory) {
  uint64_t vector = memory ? layout::vectorRegisters(layout, *memory).size() : 0;
  return std::max<uint64_t>(1, layout.withoutFreeRegisters().inputSize(Dim::Register) >> vector);
}

bool tilewright::isMuchWorse(const LinearLayout &layout, const LinearLayout &best, const layout::TileMemory &memory,
                             uint64_t mostInstructions) {
  auto cost = [&](const LinearLayout &candidate) {
    uint64_t instructions = instructionsOf(candidate, memory);
    return std::pair(instructions * layout::sectorsPerRequest(candidate, memory), instructions);
  };
  auto [sectors, instructions] = cost(layout);
  auto [fewestSectors, fewestInstructions] = cost(best);
  return sectors >= 2 * fewestSectors || instructions >= mostInstructions * fewestInstructions;
}
