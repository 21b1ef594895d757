// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hints of a module as it was written, against which the answers of the passes are held in the end: a load that
// nothing uses is gone before a pass could answer, and two equal ones have become one.
#ifndef TILEWRIGHT_PIPELINE_ASKEDHINTS_H
#define TILEWRIGHT_PIPELINE_ASKEDHINTS_H

#include "mlir/IR/BuiltinOps.h"
#include "support/Remarks.h"
#include "tileaa/ir/Hints.h"

namespace tilewright {

// Remarks on the level of optimization that was asked for, for each kernel.
void answerLevel(mlir::ModuleOp module, unsigned asked);

class AskedHints {
public:
  // Of a module at the levels cuda_tile or tileaa, those for an architecture as for tileaa::chooseHints.
  void note(mlir::ModuleOp module, llvm::StringRef architecture);
  // Remarks on those that no remark is about, and none twice; nothing where operations still wait for an answer.
  void answerRest(mlir::ModuleOp module, std::vector<OptimizationRemark> &remarks) const;

private:
  struct Asked {
    mlir::Location place;
    std::string kernel; // empty for an operation of another function
    llvm::StringRef what;
    std::string name;
    mlir::Attribute value;
  };
  std::vector<Asked> all;
};

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ASKEDHINTS_H
