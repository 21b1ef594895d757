// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules as text from outside. MLIR's parser, printer and verifier call themselves for every bracket, so what nests
// without end would end the process, and they unfold aliases: both are refused before they see it.
#ifndef TILEWRIGHT_SUPPORT_MODULETEXT_H
#define TILEWRIGHT_SUPPORT_MODULETEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace tilewright {

// Twice what bytecode allows of regions: in its generic form an operation puts a region into two brackets.
constexpr unsigned maxTextNesting = 512;

// The first bracket that nests deeper than `maxTextNesting`, or npos. Brackets of strings and comments do not count.
size_t findTooDeep(llvm::StringRef text);

// Why a text must not come to MLIR's parser, and where.
struct TextProblem {
  size_t at;
  std::string message;
};
std::optional<TextProblem> findProblem(llvm::StringRef text);

// Reads and verifies; every error is a diagnostic with line and column.
mlir::OwningOpRef<mlir::ModuleOp> parseModuleText(llvm::MemoryBufferRef text, mlir::MLIRContext *context);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_MODULETEXT_H
