// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a kernel that is predicted to be the fastest for a launch. Candidates are the compiler's plan with
// decisions changed one by one; each is compiled as far as its decisions, which tells whether the kernel can have it,
// and the model of time (src/predict) ranks those that it can.
//
//   round 1   the compiler's plan with one change, each of about thirty
//   round 2   the fastest of these with another change, and so on until none is faster
#ifndef TILEWRIGHT_PLANNER_SEARCH_H
#define TILEWRIGHT_PLANNER_SEARCH_H

#include "pipeline/Pipeline.h"
#include "planner/Candidate.h"

namespace tilewright::planner {

struct SearchLimits {
  unsigned mostCandidates = 200;
  unsigned width = 5;   // of a round: so many plans are changed further
  unsigned threads = 0; // 0: as many as cores
};

struct Candidate {
  Decisions changes; // none: the compiler's plan
  Decisions decisions;
  std::string text; // of its plan file, with the reasons
  predict::Prediction prediction;
};

struct Refusal {
  Decisions changes;
  std::string reason;
};

struct SearchResult {
  std::string kernel;
  predict::Gpu gpu;
  std::vector<Candidate> ranked; // the fastest first; of equal plans the one with the fewest changes
  std::vector<Refusal> refused;
  unsigned equal = 0; // candidates whose plan is that of another

  const Candidate &ownPlan() const;
};

/// The launch of an entry, which depends on its parameters.
using LaunchOf = llvm::function_ref<llvm::Expected<predict::Launch>(const KernelModel &entry)>;

/// Searches the plans of one entry of a module, the only one if the name is empty, for a launch on a product
/// (gpuNamed). Decisions of `options.plan` are kept as they are.
llvm::Expected<SearchResult> searchPlans(llvm::StringRef module, llvm::StringRef name, llvm::StringRef entry,
                                         const TargetRef &target, const PipelineOptions &options, LaunchOf launchOf,
                                         llvm::StringRef product, const SearchLimits &limits);

/// For programs: the candidates with their changes and predicted times, and the refusals with their reasons.
llvm::json::Object toJson(const SearchResult &result);

/// For each decision of a plan of the ranking the fastest other one that decides otherwise.
std::vector<RunnerUp> runnersUp(const SearchResult &result, const Candidate &plan);
/// Adds those of the compiler's own plan to the decisions of its kernel.
void addRunnersUp(Explanation &explanation, const SearchResult &result);

/// The plan file of the fastest plan: each decision with its reason and the runner-up.
std::string printFastest(const SearchResult &result);
/// A table of the fastest candidates, the compiler's own plan among them, for a terminal.
std::string printRanking(const SearchResult &result, size_t rows);

} // namespace tilewright::planner

#endif // TILEWRIGHT_PLANNER_SEARCH_H
