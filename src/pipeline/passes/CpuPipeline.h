// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_PASSES_CPUPIPELINE_H
#define TILEWRIGHT_PIPELINE_PASSES_CPUPIPELINE_H

#include "machine/Machine.h"

#include "mlir/Pass/PassManager.h"

namespace tilewright {

/// tileaa to linalg on tiles with the plan attribute, for `--emit=linalg` and `--emit=plan`.
void buildTileaaToLinalg(mlir::OpPassManager &passes, const Machine &machine);

/// From there to LLVM-dialect functions with the entry signature of cpu-kernel-entry. Those of f32 that a CPU can
/// compute as that bitcode does are called in it, if there is one.
void buildLinalgToLLVM(mlir::OpPassManager &passes, const Machine &machine, llvm::StringRef libdevice = {});

/// The dialects and bufferization models the passes load.
void registerCpuDialects(mlir::DialectRegistry &registry);
} // namespace tilewright

#endif
