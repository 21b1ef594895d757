// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_PASSES_H
#define TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {

#define GEN_PASS_DECL
#include "lower/cuda_tile_to_tileaa/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lower/cuda_tile_to_tileaa/Passes.h.inc"

} // namespace tilewright

#endif
