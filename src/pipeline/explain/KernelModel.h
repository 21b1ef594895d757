// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled kernel for a GPU as the model of time sees it: its work, and the resources of its code.
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_KERNELMODEL_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_KERNELMODEL_H

#include "pipeline/explain/Explanation.h"
#include "predict/Prediction.h"

namespace tilewright {

struct KernelModel {
  predict::Work work;
  predict::CodeResources resources;
};

/// Of each kernel whose work is known. Registers that no assembler has counted are estimated.
std::vector<KernelModel> modelKernels(std::vector<predict::Work> works, const CodeFacts &code);

/// The GPU that a prediction is for: that product, or else the one that stands for the architecture. An error if
/// nothing is known of the speed of the architecture.
llvm::Expected<predict::Gpu> gpuFor(const nvidia::Architecture &architecture, std::optional<nvidia::Product> product);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_KERNELMODEL_H
