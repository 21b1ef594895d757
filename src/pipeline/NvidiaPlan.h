// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of kernels for GPUs as text. Decisions are asked for before the passes that decide, at the level tileaa, and
// stand in the attribute `tileas.plan` behind them; a schedule is replaced at the level tileas, where its loop is
// known.
#ifndef TILEWRIGHT_PIPELINE_NVIDIAPLAN_H
#define TILEWRIGHT_PIPELINE_NVIDIAPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "tileas/ir/Tileas.h"

namespace tilewright {

// The text of the decisions of all kernels of a module at the level tileas, with the reasons as comments.
std::string printNvidiaPlans(mlir::ModuleOp module);
// Writes what such a text asks for to the kernels of a module at the level tileaa; errors call the text `name`.
llvm::Error askNvidiaPlans(mlir::ModuleOp module, llvm::StringRef text, llvm::StringRef name);
// At the level tileas: replaces schedules, and refuses decisions that are not those of the module.
llvm::Error applyNvidiaPlans(mlir::ModuleOp module, llvm::StringRef text, llvm::StringRef name);

// As in loop.0.stages, or warps of a kernel.
std::string decisionName(tileas::DecisionAttr decision);
// The loops that have a schedule, with their numbers in decisions.
std::vector<std::pair<int64_t, mlir::scf::ForOp>> scheduledLoops(mlir::func::FuncOp function);
// Facts that follow from decisions: a name and a value.
std::vector<std::pair<std::string, std::string>> resourcesOf(mlir::func::FuncOp function);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_NVIDIAPLAN_H
