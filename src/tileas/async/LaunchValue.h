// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_LAUNCHVALUE_H
#define TILEWRIGHT_TILEAS_ASYNC_LAUNCHVALUE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace tilewright::tileas {

/// A number known at launch: a parameter of the kernel, or a constant.
struct LaunchValue {
  std::optional<unsigned> parameter;
  int64_t constant = 0;
};

/// The value at launch, if only casts and assumptions lie between it and a parameter or constant.
std::optional<LaunchValue> launchValueOf(mlir::Value value);

} // namespace tilewright::tileas

#endif
