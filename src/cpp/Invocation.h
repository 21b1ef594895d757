// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of Clang on a source file.
#ifndef TILEWRIGHT_CPP_INVOCATION_H
#define TILEWRIGHT_CPP_INVOCATION_H

#include "clang/Frontend/FrontendAction.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::cpp {

/// The compiler that has Clang's own headers, and links.
std::string clangProgram();

/// The folder that has <tilewright.h>, and in `tilewright` <cuda_tile.h>: in the tree, or beside the library.
std::string headerFolder();

struct Invocation {
  /// Arguments of Clang's driver; C++20 without -std.
  std::vector<std::string> arguments;
  std::string input;
  /// Files that are not on the disk, by their absolute names.
  llvm::StringMap<std::string> files;
  /// Where diagnostics go; null for stderr.
  clang::DiagnosticConsumer *diagnostics = nullptr;
};

/// False after errors.
bool run(const Invocation &invocation, std::unique_ptr<clang::FrontendAction> action);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_INVOCATION_H
