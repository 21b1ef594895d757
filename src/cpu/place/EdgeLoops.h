// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles may stay where they are although they stick out of their arrays: those that loops walk over line by line,
// with a mask for the vector at the end of a line. Others are copied to scratch at the edge of an array: operands of
// products, and tiles that are transposed.
#ifndef TILEWRIGHT_CPU_PLACE_EDGELOOPS_H
#define TILEWRIGHT_CPU_PLACE_EDGELOOPS_H

#include "cpu/ir/Plan.h"
#include "cpu/place/ViewAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::cpu {

/// Whether all tiles of a loop that it walks over along a dimension are contiguous along it.
bool runsAlong(mlir::linalg::GenericOp loop, int64_t dim);

/// The dimension of a loop along which all its tiles are contiguous and long; nothing if there is none.
std::optional<int64_t> lineDim(mlir::linalg::GenericOp loop, const Plan &plan);

/// Whether all that read the loaded tile are loops along its lines, or stores of such, which become loops.
bool isReadAlongLines(tileaa::LoadViewOp load, const ViewAccess &access, const Plan &plan);

/// Whether the loop writes one of its results along the lines of the view that it is stored to.
bool isWrittenAlongLines(mlir::linalg::GenericOp loop, unsigned result, const ViewAccess &access, const Plan &plan);

} // namespace tilewright::cpu

#endif
