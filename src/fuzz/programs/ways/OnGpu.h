// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program on GPU 0, its arrays copied there and back.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_WAYS_ONGPU_H
#define TILEWRIGHT_FUZZ_PROGRAMS_WAYS_ONGPU_H

#include "fuzz/programs/ways/HostArray.h"
#include "pipeline/Pipeline.h"
#include "runtime/Scheduler.h"

namespace tilewright::programs {

// After an error the process may not be able to use the GPU any more.
llvm::Expected<LaunchResult> runOnGpu(llvm::StringRef module, const int64_t grid[3], llvm::ArrayRef<void *> arguments,
                                      llvm::ArrayRef<HostArray> arrays, const PipelineOptions &options);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_WAYS_ONGPU_H
