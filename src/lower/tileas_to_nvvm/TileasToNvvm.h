// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_TILEASTONVVM_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_TILEASTONVVM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lower/tileas_to_nvvm/Passes.h.inc"
} // namespace tilewright

#endif
