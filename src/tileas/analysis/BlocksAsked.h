// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_BLOCKSASKED_H
#define TILEWRIGHT_TILEAS_ANALYSIS_BLOCKSASKED_H

#include "machine/Architecture.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tileas {

/// The blocks of an SM at a time that a plan file asks for, or else the hint `occupancy`.
std::optional<int64_t> occupancyAsked(mlir::Operation *kernel);

/// As many blocks of an SM at a time as the hint `occupancy` of a kernel asks for, and threads allow; 0 without a hint.
int64_t blocksAsked(mlir::Operation *kernel, int64_t threads, const nvidia::Architecture &architecture);

/// The registers that a thread has where registers are kept few enough for these blocks.
int64_t registersOfThread(int64_t blocks, int64_t threads);

} // namespace tilewright::tileas

#endif
