// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_DECISIONREMARKS_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_DECISIONREMARKS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

// Remarks on the instructions of matrix products (category TensorCore), of a module at the level tileas. Copies of
// tiles have theirs where they are lowered, and hints are answered where it is decided (tileaa/ir/Hints.h).
void remarkDecisions(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_DECISIONREMARKS_H
