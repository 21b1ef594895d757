// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps that a block encodes itself, as launchers would (cuTensorMapEncodeTiled): field by field in shared
// memory, then copied to global memory, from where alone the hardware takes them. Each block has a place there of its
// own, since launches with other arguments may run beside it.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_TENSORMAPS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_TENSORMAPS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// The module's places for tensor maps, if a kernel writes any.
void addTensorMaps(mlir::ModuleOp module);

} // namespace tilewright

#endif
