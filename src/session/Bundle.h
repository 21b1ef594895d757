// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a module for several targets, as a program carries it, and the choice among it when the program runs.
#ifndef TILEWRIGHT_SESSION_BUNDLE_H
#define TILEWRIGHT_SESSION_BUNDLE_H

#include "session/LoadEntry.h"

namespace tilewright::session {

struct BundledImage {
  std::string target;  // of `tilewright compile`, or "tilebc": the module itself, for targets without an image
  std::string machine; // of an image for the host it was made on, the key of that; else empty
  std::string bytes;   // a serialized image
};

/// Compiles a module for such a target.
llvm::Expected<BundledImage> compileImage(llvm::StringRef target, llvm::StringRef module, llvm::StringRef name,
                                          const PipelineOptions &options, PipelineReport &report);

std::string serializeBundle(llvm::ArrayRef<BundledImage> images);
/// Refuses bytes that are truncated, altered, or of another version.
llvm::Expected<std::vector<BundledImage>> deserializeBundle(llvm::StringRef bytes);

/// The entry of that name in the best image for this machine: for its GPU, then for its CPU, wider vectors first, then
/// made from the module. TILEWRIGHT_TARGET restricts the choice. The bundle's memory stays as it is; its code is loaded
/// once.
llvm::Expected<LoadedEntry> loadBundled(llvm::StringRef bundle, llvm::StringRef name);

/// The GPU that such a choice would consider; null without one, or if TILEWRIGHT_TARGET names another target.
cuda::Device *deviceOfProgram();

} // namespace tilewright::session

#endif
