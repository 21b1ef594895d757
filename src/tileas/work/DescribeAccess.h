// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_WORK_DESCRIBEACCESS_H
#define TILEWRIGHT_TILEAS_WORK_DESCRIBEACCESS_H

#include "predict/Work.h"
#include "tileas/analysis/TileSlopes.h"
#include "tileas/work/DescribeScalars.h"

namespace tilewright::tileas {

/// The access of memory that an operation makes, and how the threads of a warp make it; nothing for other operations.
std::optional<predict::Access> describeAccess(mlir::Operation *op, DescribeScalars &scalars, const TileSlopes &slopes);

} // namespace tilewright::tileas

#endif
