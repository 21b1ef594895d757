// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TARGET_NVIDIA_PASSES_H
#define TILEWRIGHT_TARGET_NVIDIA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "target/nvidia/Passes.h.inc"
} // namespace tilewright

#endif
