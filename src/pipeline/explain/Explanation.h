// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report on the kernels of a module: the work of a block, the decisions, the answers to hints, the resources of
// the code, and the predicted time of a launch. Facts are collected at the levels that have them (the work at tileaa,
// before it is distributed over threads; decisions at the level of the plan; instructions in the PTX; registers in the
// cubin) and written at the end, as a page for a terminal or as JSON.
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_EXPLANATION_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_EXPLANATION_H

#include "machine/Occupancy.h"
#include "mlir/IR/BuiltinOps.h"
#include "pipeline/explain/KernelModel.h"
#include "support/Remarks.h"

namespace tilewright {

/// The work of a block in one iteration of a place: the kernel itself, or a loop whose trip count is not known
/// beforehand.
struct BlockWork {
  std::string place; // of a loop, as in "loop at kernel.py:12"; empty for the kernel
  uint64_t loadedBytes = 0, storedBytes = 0, operations = 0, products = 0;
};

/// The value that the fastest plan with another value of a decision has, of those that a search tried.
struct RunnerUp {
  std::string decision, value;
  double ratio = 1;  // of its predicted time to that of the plan beside it
  std::string bound; // the longest of that plan

  /// As in `4 is predicted 12.5 % slower (DRAM)`.
  std::string text() const;
};

/// A decision, as in loop.0.stages = 4. Most of a CPU have no reason.
struct ExplainedDecision {
  std::string name, value, reason;
  std::string place;   // in the source
  std::string askedBy; // the line of a plan file
  std::optional<RunnerUp> runnerUp;
};

struct ExplainedHint {
  std::string answer, place;
  bool isFollowed = false;
};

/// Instructions in PTX by purpose, in the order of a table.
using InstructionCounts = std::vector<std::pair<std::string, unsigned>>;

/// The code of a kernel for a GPU.
struct CodeExplanation {
  unsigned threads = 0;     // of a block; 0 if it is not known
  uint64_t sharedBytes = 0; // static and dynamic
  std::optional<InstructionCounts> instructions;
  std::optional<nvidia::KernelResources> resources; // nothing without a cubin
  std::optional<nvidia::Occupancy> occupancy;       // likewise
  std::string whyNoCubin;
};

struct ExplainedLaunch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  predict::Prediction prediction;
};

using NamedValues = std::vector<std::pair<std::string, std::string>>;

struct KernelExplanation {
  std::string name;
  std::vector<BlockWork> work;
  std::vector<ExplainedDecision> decisions;
  NamedValues facts;                // that follow from decisions
  std::vector<std::string> layouts; // a line for each
  std::vector<ExplainedHint> hints;
  std::optional<CodeExplanation> code;
  std::optional<ExplainedLaunch> launch;
};

struct Explanation {
  std::string target;
  const nvidia::Architecture *architecture = nullptr; // of a GPU
  std::vector<KernelExplanation> kernels;
  std::vector<KernelModel> models; // of kernels whose time can be predicted

  std::string text() const;
  /// An object for each kernel; docs/planning.md lists their keys.
  llvm::json::Array toJson() const;
  std::string jsonText() const;
};

/// A value of a decision or a fact for programs: a number or a truth value where the text is one.
llvm::json::Value valueOf(llvm::StringRef text);

/// Called at the level tileaa, then at that of the plan, tileas or linalg, which adds to the facts of the first.
std::vector<KernelExplanation> explainWork(mlir::ModuleOp module);
void explainDecisions(mlir::ModuleOp module, std::vector<KernelExplanation> &kernels);
void explainCpuDecisions(mlir::ModuleOp module, const Machine &machine, std::vector<KernelExplanation> &kernels);

/// The answers to the hints of a kernel.
std::vector<ExplainedHint> hintsOf(llvm::StringRef kernel, llvm::ArrayRef<OptimizationRemark> remarks);

void explainCode(std::vector<KernelExplanation> &kernels, const nvidia::Architecture &architecture,
                 const CodeFacts &code);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_EXPLANATION_H
