// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_DECISIONREMARKS_H
#define TILEWRIGHT_PIPELINE_DECISIONREMARKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace tilewright {

// A hint of a kernel or of an access in it, and what became of it.
struct HintAnswer {
  mlir::Operation *op;
  std::string hint, answer; // as in "num_cta_in_cga = 2"
  bool isFollowed;
};

// Of a module at the level tileas, whose hints are those of its architecture.
std::vector<HintAnswer> answerHints(mlir::func::FuncOp kernel);

// Remarks on what multiplies the matrices (category TensorCore), and on hints that are not followed (Hints). What moves
// tiles says so where it is lowered.
void remarkDecisions(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_DECISIONREMARKS_H
