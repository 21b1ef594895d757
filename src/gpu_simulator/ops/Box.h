// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_GPU_SIMULATOR_OPS_BOX_H
#define TILEWRIGHT_GPU_SIMULATOR_OPS_BOX_H

#include "gpu_simulator/Actor.h"
#include <optional>

namespace tilewright::simulator {

/// The addresses of the elements of a box.
class Box {
public:
  Box(Actor &actor, mlir::Value viewValue, mlir::ValueRange offsets, llvm::ArrayRef<int64_t> dims, mlir::Type type)
      : view(std::get<View>(actor.get(viewValue))), dims(dims) {
    for (mlir::Value offset : offsets)
      corner.push_back(actor.integer(offset));
    if (auto tile = llvm::dyn_cast<mlir::RankedTensorType>(type))
      shape.assign(tile.getShape().begin(), tile.getShape().end());
  }

  /// Of an element by its row-major number; nothing outside of the view.
  std::optional<uint64_t> at(int64_t element) const {
    llvm::SmallVector<int64_t, 5> place(corner);
    for (size_t dim = shape.size(); dim-- != 0;) {
      place[dims[dim]] += element % shape[dim];
      element /= shape[dim];
    }
    int64_t distance = 0;
    for (auto [coordinate, extent, stride] : llvm::zip_equal(place, view.shape, view.strides)) {
      if (coordinate < 0 || coordinate >= extent)
        return std::nullopt;
      distance += coordinate * stride;
    }
    return view.base + distance * interpreter::storageBytes(view.element);
  }

private:
  const View &view;
  llvm::ArrayRef<int64_t> dims;
  llvm::SmallVector<int64_t, 5> corner, shape;
};

} // namespace tilewright::simulator

#endif
