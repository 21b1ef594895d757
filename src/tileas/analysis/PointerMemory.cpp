// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/PointerMemory.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tilewright;

std::optional<layout::TileMemory> tileas::memoryOf(Value addresses, Value mask, int64_t bytes,
                                                   const TileSlopes &slopes) {
  constexpr int64_t widest = 16;
  if (!isa<RankedTensorType>(addresses.getType()))
    return std::nullopt;
  SmallVector<Slope> steps = slopes.of(addresses);
  for (unsigned dim = 0; dim != steps.size(); ++dim) {
    int64_t width = std::min({steps[dim].run, steps[dim].divisor / bytes, widest / bytes});
    if (mask && isa<RankedTensorType>(mask.getType()))
      width = std::min(width, slopes.of(mask)[dim].run);
    if (steps[dim].step != bytes || width < 2)
      continue;
    // The slopes say enough of the other dimensions.
    layout::TileMemory memory;
    memory.elementBits = bytes * 8;
    memory.alignment = width * bytes;
    memory.dims.assign(steps.size(), {std::nullopt, widest});
    memory.dims[dim].stride = 1;
    return memory;
  }
  return std::nullopt;
}
