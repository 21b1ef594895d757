// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds for any input whatever: the fuzz targets and their replay in the tests ask for it.
#ifndef TILEWRIGHT_FUZZ_READERS_PROPERTIES_H
#define TILEWRIGHT_FUZZ_READERS_PROPERTIES_H

#include "mlir/IR/MLIRContext.h"
#include <optional>
#include <string>

namespace tilewright::cuda_tile {

/// Says what is broken for an input, or nothing. A crash says it too.
using Property = std::optional<std::string>(llvm::StringRef input, mlir::MLIRContext &context);

/// Text gives a diagnostic, or a verified module whose text reads back as itself.
Property findBrokenText;

/// Bytes give a diagnostic, or a module; reading does not verify it.
Property findBrokenReading;

/// A module that was read and verified can be written in its own version or the newest, and reads back as the same
/// text.
Property findBrokenRoundTrip;

/// A context for many inputs: the dialect, no threads, and a handler that drops diagnostics, which are what most
/// inputs end in.
std::unique_ptr<mlir::MLIRContext> makeContextForInputs();

} // namespace tilewright::cuda_tile

#endif
