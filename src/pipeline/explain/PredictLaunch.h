// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicted time of a launch for the report on a kernel.
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_PREDICTLAUNCH_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_PREDICTLAUNCH_H

#include "pipeline/explain/Explanation.h"
#include "pipeline/explain/LaunchFacts.h"

namespace tilewright {

/// The model of the entry of that name, or the only one for an empty name.
llvm::Expected<const KernelModel *> chooseModel(const Explanation &explanation, llvm::StringRef entry);

/// Adds the prediction to the report on that entry, for a product by its name (gpuNamed). An error if there is no such
/// entry, and where nothing predicts times for the target.
llvm::Error predictLaunch(Explanation &explanation, const predict::Launch &launch, llvm::StringRef entry,
                          llvm::StringRef product);
/// Likewise, with the arguments of the launch.
llvm::Error predictLaunch(Explanation &explanation, const LaunchFacts &facts, llvm::StringRef entry,
                          llvm::StringRef product);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_PREDICTLAUNCH_H
