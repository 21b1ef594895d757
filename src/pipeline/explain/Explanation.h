// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a kernel for a GPU is what it is, for people: the work of a block, what was decided, what became of the hints,
// and what the code uses. It is gathered at the levels where it can be seen (the work at tileaa, where nothing is
// divided among threads yet; the decisions at tileas; instructions in the PTX; registers in the cubin) and written in
// the end.
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_EXPLANATION_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_EXPLANATION_H

#include "machine/Architecture.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/cuda/GpuImage.h"
#include "target/nvidia/CubinFile.h"
#include <map>

namespace tilewright {

// The work of a block in one iteration of a place: the kernel itself, or a loop whose trip count is not known
// beforehand.
struct BlockWork {
  std::string place; // of a loop, as in "loop at kernel.py:12"; empty for the kernel
  uint64_t loadedBytes = 0, storedBytes = 0, operations = 0, products = 0;
};

struct KernelExplanation {
  std::string name;
  std::vector<BlockWork> work;
  std::vector<std::pair<std::string, std::string>> decisions; // name, value
  std::vector<std::string> layouts;                           // a line for each
  std::vector<std::string> hints;                             // likewise
};

// At the level tileaa, then at tileas: the second adds to what the first found.
std::vector<KernelExplanation> explainWork(mlir::ModuleOp module);
void explainDecisions(mlir::ModuleOp module, std::vector<KernelExplanation> &kernels);

// A line `@kernel` for each kernel of a module at the level tileas, below it what was decided.
std::string printNvidiaPlans(mlir::ModuleOp module);
// Decides otherwise, by such a text; `name` is what errors call it.
llvm::Error applyNvidiaPlans(mlir::ModuleOp module, llvm::StringRef text, llvm::StringRef name);

// Instructions of each kernel in PTX, by what they are for, in the order of the table.
std::map<std::string, std::vector<std::pair<std::string, unsigned>>> countInstructions(llvm::StringRef ptx);

// The page. Without a cubin `whyNoCubin` says why what only it tells is not there.
struct CodeFacts {
  llvm::StringRef ptx;
  llvm::ArrayRef<cuda::GpuEntry> entries;
  llvm::ArrayRef<nvidia::KernelResources> resources;
  std::string whyNoCubin;
};
std::string writeExplanation(llvm::ArrayRef<KernelExplanation> kernels, const nvidia::Architecture &architecture,
                             const CodeFacts &code);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_EXPLANATION_H
