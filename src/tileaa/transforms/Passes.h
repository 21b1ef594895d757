// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_PASSES_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "tileaa/transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tileaa/transforms/Passes.h.inc"

} // namespace tilewright

#endif
