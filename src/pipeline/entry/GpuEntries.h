// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_ENTRY_GPUENTRIES_H
#define TILEWRIGHT_PIPELINE_ENTRY_GPUENTRIES_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/cuda/GpuImage.h"

namespace tilewright {

// How the kernels of a module in the llvm dialect are launched, from what the passes left on them. `entries` are the
// entries they were made of, with what their parameters are; a kernel that is none of them has no known parameters.
std::vector<cuda::GpuEntry> describeGpuEntries(mlir::ModuleOp module, llvm::ArrayRef<EntryInfo> entries);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ENTRY_GPUENTRIES_H
