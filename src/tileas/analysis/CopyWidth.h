// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How wide copies by threads (cp.async) are.
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_COPYWIDTH_H
#define TILEWRIGHT_TILEAS_ANALYSIS_COPYWIDTH_H

#include "tileas/analysis/TileSlopes.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// The narrowest, in bytes.
constexpr int64_t leastCopy = 4;

/// How many registers of an access are neighbours in shared memory as they are in global memory, and begin there at a
/// multiple of their number. `places` is where each is there.
int64_t neighboursIn(const layout::LinearLayout &places, llvm::ArrayRef<unsigned> registers);

/// The bytes of one copy from addresses into a buffer.
int64_t bytesOfCopy(mlir::Value addresses, mlir::Value mask, BufferType buffer, const TileSlopes &slopes);

} // namespace tilewright::tileas

#endif
