// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel as the model of time sees it: its work, and the resources of its code on a GPU.
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_KERNELMODEL_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_KERNELMODEL_H

#include "machine/Machine.h"
#include "predict/Cpu.h"
#include "runtime/cuda/GpuImage.h"
#include "target/nvidia/CubinFile.h"

namespace tilewright {

struct KernelModel {
  predict::Work work;
  predict::CodeResources resources;
  std::vector<EntryParameter> parameters;
};

/// Of the code of a module. Without a cubin `whyNoCubin` is the reason why there are no resources.
struct CodeFacts {
  llvm::StringRef ptx;
  llvm::ArrayRef<cuda::GpuEntry> entries;
  llvm::ArrayRef<nvidia::KernelResources> resources;
  std::string whyNoCubin;

  const cuda::GpuEntry *entryOf(llvm::StringRef kernel) const;
  const nvidia::KernelResources *resourcesOf(llvm::StringRef kernel) const;
};

/// Of each kernel whose work is known. Registers that no assembler has counted are estimated. Parameters are those of
/// the module's entries.
std::vector<KernelModel> modelKernels(std::vector<predict::Work> works, const CodeFacts &code,
                                      llvm::ArrayRef<EntryInfo> entries = {});

/// The GPU that a prediction is for: that product, or else the one that stands for the architecture. An error if
/// nothing is known of the speed of the architecture.
llvm::Expected<predict::Gpu> gpuFor(const nvidia::Architecture &architecture, std::optional<nvidia::Product> product);
/// Likewise by the product's name, as in H200; empty for the one that stands for the architecture.
llvm::Expected<predict::Gpu> gpuNamed(const nvidia::Architecture &architecture, llvm::StringRef product);
/// The CPU that a prediction is for, with the number of threads of launches for 0. Its clock and its bandwidths are
/// typical ones.
predict::Cpu cpuFor(const Machine &machine, unsigned threads);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_KERNELMODEL_H
