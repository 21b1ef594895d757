// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The analysis managers of LLVM's passes over a module, tied to each other. Made before the builder of the passes,
// whose target and tuning they then know.
#ifndef TILEWRIGHT_TARGET_LLVM_LLVMANALYSES_H
#define TILEWRIGHT_TARGET_LLVM_LLVMANALYSES_H

#include "llvm/Passes/PassBuilder.h"

namespace tilewright {

struct LlvmAnalyses {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;

  void registerIn(llvm::PassBuilder &builder) {
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
  }
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_LLVM_LLVMANALYSES_H
