// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_LAUNCHVALUE_H
#define TILEWRIGHT_TILEAS_ASYNC_LAUNCHVALUE_H

#include "mlir/IR/Value.h"
#include <optional>

namespace tilewright::tileas {

/// A number that a launcher knows: a parameter of the kernel, or a constant where there is none.
struct LaunchValue {
  std::optional<unsigned> parameter;
  int64_t constant = 0;
};

/// What a value is at launch, if casts and assumptions are all that stands between.
std::optional<LaunchValue> launchValueOf(mlir::Value value);

} // namespace tilewright::tileas

#endif
