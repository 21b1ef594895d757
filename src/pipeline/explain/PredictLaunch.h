// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicted time of a launch for the report on a kernel.
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_PREDICTLAUNCH_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_PREDICTLAUNCH_H

#include "pipeline/explain/Explanation.h"
#include "pipeline/explain/LaunchFacts.h"

namespace tilewright {

/// The device that a time is predicted for.
struct DeviceChoice {
  std::string product;  // of a GPU (gpuNamed)
  unsigned threads = 0; // of a CPU (cpuFor)
};

/// The model of the entry of that name, or the only one for an empty name.
llvm::Expected<const KernelModel *> chooseModel(llvm::ArrayRef<KernelModel> models, llvm::StringRef entry);

/// Adds the prediction to the report on that entry. An error if there is no such entry or device.
llvm::Error predictLaunch(Explanation &explanation, const predict::Launch &launch, llvm::StringRef entry,
                          const DeviceChoice &device);
/// Likewise, with the arguments of the launch.
llvm::Error predictLaunch(Explanation &explanation, const LaunchFacts &facts, llvm::StringRef entry,
                          const DeviceChoice &device);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_PREDICTLAUNCH_H
