// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_LAUNCHVALUE_H
#define TILEWRIGHT_TILEAS_ASYNC_LAUNCHVALUE_H

#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// The value at launch, if only casts and assumptions lie between it and a parameter or constant.
std::optional<LaunchValue> launchValueOf(mlir::Value value);

} // namespace tilewright::tileas

#endif
