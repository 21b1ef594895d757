// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision `tile_order`: tile blocks have numbers, and those of a plane of the grid are counted along x, then y,
// within so many values of x at a time; 0 is all of them. With 1 y counts first.
#ifndef TILEWRIGHT_TILEAS_PLAN_GRID_TILEORDER_H
#define TILEWRIGHT_TILEAS_PLAN_GRID_TILEORDER_H

#include "mlir/IR/Builders.h"

namespace tilewright::tileas {

/// x and y of the tile block with a number from 0, and with the number `inPlane` of its plane of the grid.
std::pair<mlir::Value, mlir::Value> placeInPlane(mlir::Value number, mlir::Value inPlane,
                                                 llvm::ArrayRef<mlir::Value> grid, int64_t tileOrder,
                                                 mlir::OpBuilder &builder, mlir::Location loc);

} // namespace tilewright::tileas

#endif
