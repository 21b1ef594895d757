// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_OWNMEMORY_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_OWNMEMORY_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// Globals of the program, after all that asks for their addresses.
void lowerGlobals(mlir::ModuleOp module);

} // namespace tilewright

#endif
