// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of a cuda_tile module for a launcher: the type of every parameter, and through which of them the kernel
// may write.
#ifndef TILEWRIGHT_PIPELINE_ENTRY_ENTRYINTERFACE_H
#define TILEWRIGHT_PIPELINE_ENTRY_ENTRYINTERFACE_H

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/Image.h"
#include <optional>

namespace tilewright {

std::vector<EntryInfo> describeEntries(mlir::Operation *module);

// A type as Tile IR writes it: "tile<ptr<f32>>".
std::string typeText(mlir::Type type);

// The assumptions of a kernel about a parameter.
struct ParameterFacts {
  std::string type;     // the type of a scalar, or the element type of a pointer, as in "f32"
  uint64_t divisor = 1; // of the value; in bytes for a pointer
  std::optional<int64_t> least, most;
};

std::vector<ParameterFacts> describeFacts(cuda_tile::EntryOp entry);

// Text that is equal for modules that compile to equal code: locations are left out, except where an assert reports
// them.
std::string identityText(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_ENTRY_ENTRYINTERFACE_H
