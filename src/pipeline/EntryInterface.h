// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher must know about the entries of a cuda_tile module: the type of every parameter, and through which of
// them the kernel may write.
#ifndef TILEWRIGHT_PIPELINE_ENTRYINTERFACE_H
#define TILEWRIGHT_PIPELINE_ENTRYINTERFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "runtime/Image.h"

namespace tilewright {

std::vector<EntryInfo> describeEntries(mlir::ModuleOp module);

// Text that is equal for modules that compile to equal code: locations are left out, except where an assert reports
// them.
std::string identityText(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ENTRYINTERFACE_H
