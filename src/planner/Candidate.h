// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan that a search may try: the compiler's own, with a few decisions made otherwise.
#ifndef TILEWRIGHT_PLANNER_CANDIDATE_H
#define TILEWRIGHT_PLANNER_CANDIDATE_H

#include "support/PlanFile.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::planner {

/// Decisions by name, as `loop.0.stages`, and their values in the words of a plan file.
using Decisions = std::map<std::string, std::string>;

/// The decisions of one kernel among the lines of a plan; schedules, of which nothing proposes another one, are
/// not among them.
Decisions decisionsOf(llvm::ArrayRef<PlanLine> lines, llvm::StringRef kernel);
/// The schedules among them.
Decisions schedulesOf(llvm::ArrayRef<PlanLine> lines, llvm::StringRef kernel);

/// The other values that a decision may have. They are few: numbers near its own, and all words but those that are
/// always slower. Not every kernel can have each of them.
std::vector<std::string> alternativesOf(llvm::StringRef name, llvm::StringRef value);

/// The text of a plan file with these decisions and schedules.
std::string planText(llvm::StringRef kernel, const Decisions &decisions);

} // namespace tilewright::planner

#endif // TILEWRIGHT_PLANNER_CANDIDATE_H
