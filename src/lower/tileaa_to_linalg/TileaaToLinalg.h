// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_LINALG_TILEAATOLINALG_H
#define TILEWRIGHT_LOWER_TILEAA_TO_LINALG_TILEAATOLINALG_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lower/tileaa_to_linalg/Passes.h.inc"
} // namespace tilewright

#endif
