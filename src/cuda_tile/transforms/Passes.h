// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_TRANSFORMS_PASSES_H
#define TILEWRIGHT_CUDA_TILE_TRANSFORMS_PASSES_H

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/Pass/Pass.h"

namespace tilewright {

// Runs the pass cuda-tile-synthesize-debug-info-scopes.
void synthesizeDebugInfoScopes(cuda_tile::ModuleOp module);

// Runs the pass cuda-tile-order-memory; with `globals` their memory is ordered as that of the parameters is.
void orderMemory(cuda_tile::EntryOp entry, llvm::ArrayRef<int64_t> parameters, bool globals = false);

// Runs the pass cuda-tile-unify-parameters.
void unifyParameters(cuda_tile::EntryOp entry, llvm::ArrayRef<int64_t> first);

#define GEN_PASS_DECL
#include "cuda_tile/transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "cuda_tile/transforms/Passes.h.inc"

} // namespace tilewright

#endif
