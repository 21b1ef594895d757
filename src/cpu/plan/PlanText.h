// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans of a module as a text to read, edit and give back.
#ifndef TILEWRIGHT_CPU_PLAN_PLANTEXT_H
#define TILEWRIGHT_CPU_PLAN_PLANTEXT_H

#include "cpu/ir/Plan.h"
#include "machine/Machine.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::cpu {

/// A line `@kernel` for each kernel with a plan, below it one `name = value` per decision, with its reason.
std::string printPlans(mlir::ModuleOp module, const Machine &machine);

/// Why a plan for the machine decides so; empty where the value says it itself.
std::string reasonOf(const Decision &decision, const Plan &plan, const Machine &machine);

/// Overwrites what `text` names in the plans of `module`; the rest stays as planned. `#` starts a comment. An error
/// begins with `name`, and with the line unless several decisions do not fit each other.
llvm::Error applyPlans(mlir::ModuleOp module, llvm::StringRef text, llvm::StringRef name);

/// Refuses a plan, edited or written by hand, that `machine` cannot run.
mlir::LogicalResult verifyPlans(mlir::ModuleOp module, const Machine &machine);

} // namespace tilewright::cpu

#endif
