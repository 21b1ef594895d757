// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_PRODUCTREGISTERS_H
#define TILEWRIGHT_TILEAS_ANALYSIS_PRODUCTREGISTERS_H

#include "mlir/IR/Operation.h"

namespace tilewright::tileas {

/// The registers of a thread that the products of a kernel have at a time, where so many threads multiply: the sums of
/// all products of a block, as those of a loop are, the left operands that are computed there, and what the loop
/// carries besides. Sums in tensor memory have none.
int64_t registersOfProducts(mlir::Operation *kernel, int64_t threads);

} // namespace tilewright::tileas

#endif
