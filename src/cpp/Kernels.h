// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_KERNELS_H
#define TILEWRIGHT_CPP_KERNELS_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// Adds a cuda_tile.module with all kernels of a translation unit that are no templates, instances included. False
/// after diagnostics.
bool addKernels(clang::ASTContext &ast, mlir::ModuleOp module, bool contracts);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_KERNELS_H
