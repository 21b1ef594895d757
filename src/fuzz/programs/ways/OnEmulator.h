// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as code for a processor that this machine is not, run by QEMU in a process of its own.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_WAYS_ONEMULATOR_H
#define TILEWRIGHT_FUZZ_PROGRAMS_WAYS_ONEMULATOR_H

#include "fuzz/programs/ways/HostArray.h"
#include "pipeline/Pipeline.h"
#include "runtime/Scheduler.h"

namespace tilewright::programs {

llvm::Expected<LaunchResult> runEmulated(llvm::StringRef module, const Machine &machine, const int64_t grid[3],
                                         llvm::ArrayRef<void *> arguments, llvm::ArrayRef<HostArray> arrays,
                                         const PipelineOptions &options);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_WAYS_ONEMULATOR_H
