// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of a product's operands and results, by coordinates of the thread.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MMA_MMAREGISTERS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MMA_MMAREGISTERS_H

#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"

namespace tilewright {

// A place in a batch of matrices: batch, row, column.
struct Place {
  uint64_t batch, row, column;
};

class Coordinates {
public:
  explicit Coordinates(const layout::LinearLayout &layout) : layout(layout), lead(layout.outputs().size() - 2) {}

  // Rows and columns beyond the tile's wrap.
  uint64_t flat(Place place) const {
    auto wrap = [&](unsigned dim, uint64_t value) { return value & (layout.outputSize(layout::tileDim(dim)) - 1); };
    uint64_t flat = layout.outputAt(layout::tileDim(lead), wrap(lead, place.row)) |
                    layout.outputAt(layout::tileDim(lead + 1), wrap(lead + 1, place.column));
    return lead ? flat | layout.outputAt(layout::tileDim(0), place.batch) : flat;
  }
  Place at(uint64_t reg) const {
    uint64_t flat = layout.applyFlat({{layout::Dim::Register, reg}});
    return {lead ? layout.coordinate(flat, layout::tileDim(0)) : 0, layout.coordinate(flat, layout::tileDim(lead)),
            layout.coordinate(flat, layout::tileDim(lead + 1))};
  }

private:
  const layout::LinearLayout &layout;
  unsigned lead;
};

// An operand of a product, in registers or in a buffer, by the coordinates of lane 0 of warp 0.
class Operand {
public:
  Operand(mlir::Type type, mlir::ValueRange registers, layout::LinearLayout needed, ThreadBuilder &thread)
      : layout(std::move(needed)), coordinates(layout), registers(registers) {
    if (auto buffer = mlir::dyn_cast<tileas::BufferType>(type))
      loader.emplace(layout, buffer, registers[0], thread);
    else
      layout = tileas::layoutOf(mlir::cast<mlir::RankedTensorType>(type));
    for (uint64_t reg = 0; reg != layout.inputSize(layout::Dim::Register); ++reg)
      registerAt.try_emplace(layout.applyFlat({{layout::Dim::Register, reg}}), reg);
  }

  mlir::Value at(Place place) {
    uint64_t reg = registerAt.at(coordinates.flat(place));
    return loader ? loader->get(reg) : registers[reg];
  }

private:
  layout::LinearLayout layout;
  Coordinates coordinates;
  std::optional<SharedLoader> loader;
  mlir::ValueRange registers;
  llvm::DenseMap<uint64_t, uint64_t> registerAt;
};

/// The type of an operand's elements, in registers or in a buffer, and its extent along K, a left operand's last.
mlir::Type elementOf(mlir::Value operand);
int64_t depthOf(tileas::MmaOp mma);

} // namespace tilewright

#endif
