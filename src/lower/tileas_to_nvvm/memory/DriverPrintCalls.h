// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints and failed asserts by the driver's vprintf (runtime/cuda/DriverPrint.h). The tiles of a site are
// staged in global memory, which one block of a module at a time owns: the block with the lock writes its tiles there,
// and one of its threads then calls a function of the module that prints them. So the text of a print stays together.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_DRIVERPRINTCALLS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_DRIVERPRINTCALLS_H

#include "abi/HostBuffer.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// The address, i64, of memory for a record of the site.
mlir::Value stagingAddress(mlir::ModuleOp module, const cuda::HostSite &site, mlir::OpBuilder &b, mlir::Location loc);

/// Waits until no other block has the staging memory; for one thread of a block. The accesses of it and
/// its barrier's threads that follow come after those of the block before.
void takeStaging(mlir::ModuleOp module, mlir::OpBuilder &b, mlir::Location loc);
void releaseStaging(mlir::ModuleOp module, mlir::OpBuilder &b, mlir::Location loc);

/// Calls the function that prints the site's thread in the staging memory; for one thread of a block.
void callDriverPrint(mlir::ModuleOp module, const cuda::HostSite &site, mlir::OpBuilder &b, mlir::Location loc);

} // namespace tilewright

#endif
