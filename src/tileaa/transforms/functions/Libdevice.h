// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_LIBDEVICE_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_FUNCTIONS_LIBDEVICE_H

#include "mlir/IR/Operation.h"

namespace tilewright::functions {

/// A function of f32 as NVIDIA's library of functions has it.
struct LibdeviceFunction {
  llvm::StringRef name;
  /// Whether it is made of operations that every processor has.
  bool isExact;
};

/// That library's function for a precise operation of f32; without a name for any other.
LibdeviceFunction libdeviceFunction(mlir::Operation *op);

} // namespace tilewright::functions

#endif
