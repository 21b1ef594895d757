// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/explain/KernelModel.h"

using namespace llvm;

namespace tilewright {

std::vector<KernelModel> modelKernels(std::vector<predict::Work> works, const CodeFacts &code) {
  std::vector<KernelModel> models;
  for (predict::Work &work : works) {
    KernelModel model;
    auto entry = find_if(code.entries, [&](const cuda::GpuEntry &entry) { return entry.name == work.name; });
    auto used = find_if(code.resources, [&](const nvidia::KernelResources &it) { return it.name == work.name; });
    if (entry != code.entries.end()) {
      work.threads = entry->threads;
      work.blocksPerSm = entry->blocksPerSm;
      model.resources.sharedBytes = entry->dynamicSharedBytes;
    }
    unsigned most = std::min<unsigned>(nvidia::Architecture::registersPerThread,
                                       nvidia::Architecture::registersPerSm / std::max(1u, work.threads));
    model.resources.registers = std::min<unsigned>(most, 40 + unsigned(work.liveRegisters));
    if (used != code.resources.end()) {
      model.resources.registers = used->registers;
      model.resources.sharedBytes += used->sharedBytes;
      model.resources.isEstimate = false;
    }
    model.work = std::move(work);
    models.push_back(std::move(model));
  }
  return models;
}

Expected<predict::Gpu> gpuFor(const nvidia::Architecture &architecture, std::optional<nvidia::Product> product) {
  predict::Gpu gpu;
  gpu.architecture = &architecture;
  gpu.rates = nvidia::performanceOf(architecture);
  if (!gpu.rates)
    return createStringError("nothing is known of the speed of " + architecture.name);
  if (product)
    gpu.product = std::move(*product);
  else if (const nvidia::Product *known = nvidia::productOf(architecture))
    gpu.product = *known;
  else
    return createStringError("no product of " + architecture.name + " is known");
  return gpu;
}

} // namespace tilewright
