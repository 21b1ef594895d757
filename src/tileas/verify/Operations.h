// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_VERIFY_OPERATIONS_H
#define TILEWRIGHT_TILEAS_VERIFY_OPERATIONS_H

#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// Whether values of a type become registers of a thread, or disappear, in the lowering: tiles, views, tokens, memory.
bool isOfTiles(mlir::Type type);

/// Whether the lowering to the registers of a thread has a form for an operation. All operations on scalars stay.
bool hasLowering(mlir::Operation *op);

} // namespace tilewright::tileas

#endif
