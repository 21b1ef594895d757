// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that the pipelines of all targets have.
#ifndef TILEWRIGHT_PIPELINE_PASSES_PIPELINESTEPS_H
#define TILEWRIGHT_PIPELINE_PASSES_PIPELINESTEPS_H

#include "mlir/Pass/PassManager.h"

namespace tilewright {

/// Canonicalization, common subexpressions, loop-invariant code.
void addSimplification(mlir::OpPassManager &passes);

/// The last conversions to the llvm dialect, of modules without structured control flow: of scalars and functions.
void addScalarConversions(mlir::OpPassManager &passes);

} // namespace tilewright

#endif
