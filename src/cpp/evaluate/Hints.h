// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints of kernels and statements, as HintSyntax.h annotates them.
#ifndef TILEWRIGHT_CPP_EVALUATE_HINTS_H
#define TILEWRIGHT_CPP_EVALUATE_HINTS_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

enum class HintPlace { Kernel, Statement };

/// The hints among those attributes; those that are unknown, or stand in a wrong place, get a warning.
cuda_tile::OptimizationHintsAttr readHints(clang::ASTContext &ast, mlir::MLIRContext *context,
                                           llvm::ArrayRef<const clang::Attr *> attributes, HintPlace place);

/// Those without the hints that only accesses of views take.
cuda_tile::OptimizationHintsAttr hintsOfPointers(cuda_tile::OptimizationHintsAttr hints);

/// Warns about hints on what takes none.
void warnOfUselessHints(clang::ASTContext &ast, llvm::ArrayRef<const clang::Attr *> attributes);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_EVALUATE_HINTS_H
