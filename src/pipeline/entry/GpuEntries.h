// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_ENTRY_GPUENTRIES_H
#define TILEWRIGHT_PIPELINE_ENTRY_GPUENTRIES_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/cuda/GpuImage.h"

namespace tilewright {

// Launch descriptions of the kernels of a module in the llvm dialect, from the attributes that passes attached.
// `entries` are the entries they were compiled from, with their parameters; the parameters of other kernels are
// unknown.
std::vector<cuda::GpuEntry> describeGpuEntries(mlir::ModuleOp module, llvm::ArrayRef<EntryInfo> entries);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ENTRY_GPUENTRIES_H
