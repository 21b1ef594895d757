// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/explain/PredictLaunch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

Expected<predict::Prediction> predictOn(const Explanation &explanation, const KernelModel &model,
                                        const predict::Launch &launch, const DeviceChoice &device) {
  if (explanation.architecture) {
    auto gpu = gpuNamed(*explanation.architecture, device.product);
    if (!gpu)
      return gpu.takeError();
    return predict::predict(model.work, model.resources, launch, *gpu);
  }
  if (!device.product.empty())
    return createStringError("the product '" + device.product + "' is one of GPUs, found the target " +
                             explanation.target);
  auto machine = parseMachine(explanation.target);
  if (!machine)
    return machine.takeError();
  return predict::predict(model.work, launch, cpuFor(*machine, device.threads));
}

} // namespace

Expected<const KernelModel *> chooseModel(ArrayRef<KernelModel> models, StringRef entry) {
  if (entry.empty() && models.size() == 1)
    return &models.front();
  auto names = map_to_vector(models, [](const KernelModel &model) { return StringRef(model.work.name); });
  std::string list = names.empty() ? "(none)" : join(names, ", ");
  if (entry.empty())
    return createStringError("the module has " + Twine(models.size()) + " entries (" + list +
                             "), choose one with --entry");
  auto found = find_if(models, [&](const KernelModel &model) { return model.work.name == entry; });
  if (found == models.end())
    return createStringError("the module has no entry '" + entry + "', expected one of " + list);
  return found;
}

Error predictLaunch(Explanation &explanation, const predict::Launch &launch, StringRef entry,
                    const DeviceChoice &device) {
  auto model = chooseModel(explanation.models, entry);
  if (!model)
    return model.takeError();
  auto prediction = predictOn(explanation, **model, launch, device);
  if (!prediction)
    return prediction.takeError();
  for (KernelExplanation &kernel : explanation.kernels)
    if (kernel.name == (*model)->work.name)
      kernel.launch = ExplainedLaunch{launch.grid, *prediction};
  return Error::success();
}

Error predictLaunch(Explanation &explanation, const LaunchFacts &facts, StringRef entry, const DeviceChoice &device) {
  auto model = chooseModel(explanation.models, entry);
  if (!model)
    return model.takeError();
  auto launch = launchOf(facts, (*model)->work.name, (*model)->parameters);
  return launch ? predictLaunch(explanation, *launch, entry, device) : launch.takeError();
}

} // namespace tilewright
