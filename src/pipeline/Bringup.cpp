// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weak stand-ins until the CPU path defines these.
#include "cpu/CpuPipeline.h"

namespace tilewright {
__attribute__((weak)) void buildTileaaToLinalg(mlir::OpPassManager &, const Machine &) {}
__attribute__((weak)) void buildLinalgToLLVM(mlir::OpPassManager &, const Machine &) {}
__attribute__((weak)) std::unique_ptr<mlir::Pass> createCpuVerifyLoads() { return nullptr; }
__attribute__((weak)) void registerCpuDialects(mlir::DialectRegistry &) {}
} // namespace tilewright
