// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_TILEAATOTILEAS_H
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_TILEAATOTILEAS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lower/tileaa_to_tileas/Passes.h.inc"
} // namespace tilewright

#endif
