// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sites of prints and asserts, which a module keeps for the host; abi/HostBuffer.h has the records of a kernel.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_HOSTRECORDS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_HOSTRECORDS_H

#include "abi/HostBuffer.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// The sites of all prints and asserts of a module that is lowered, by their numbers.
std::vector<cuda::HostSite> hostSitesOf(mlir::ModuleOp module);

/// How the host reads elements of a type that is printed.
tilewright_type hostType(mlir::Type element, bool isUnsigned);

} // namespace tilewright

#endif
