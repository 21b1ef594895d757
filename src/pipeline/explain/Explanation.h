// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report on a kernel for a GPU, for people: the work of a block, the decisions, the answers to hints, and the
// resources of the code. Facts are collected at the levels that have them (the work at tileaa, before it is distributed
// over threads; decisions at tileas; instructions in the PTX; registers in the cubin) and printed at the end.
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

// Called at the level tileaa, then at tileas, which adds to the facts of the first.
std::vector<KernelExplanation> explainWork(mlir::ModuleOp module);
void explainDecisions(mlir::ModuleOp module, std::vector<KernelExplanation> &kernels);

// Instructions of each kernel in PTX by purpose, in the order of the table.
std::map<std::string, std::vector<std::pair<std::string, unsigned>>> countInstructions(llvm::StringRef ptx);

// The text. Without a cubin `whyNoCubin` is the reason why its facts are missing.
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
