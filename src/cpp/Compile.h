// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA Tile C++ to Tile IR.
#ifndef TILEWRIGHT_CPP_COMPILE_H
#define TILEWRIGHT_CPP_COMPILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace clang {
class DiagnosticConsumer;
} // namespace clang

namespace tilewright::cpp {

struct CompileOptions {
  /// Arguments of Clang, as a compiler has them: -I, -D, -std, ... C++20 without one.
  std::vector<std::string> arguments;
  /// Instances of kernels that the module is to have, as "kernel<float, 128>", besides those of the source.
  std::vector<std::string> kernels;
  /// a * b + c is one operation, rounded once.
  bool contracts = true;
  bool syntaxOnly = false;
  /// Sources and headers that are not on the disk, by their absolute names.
  llvm::StringMap<std::string> files;
  /// Where diagnostics go; null for stderr.
  clang::DiagnosticConsumer *diagnostics = nullptr;
};

/// The kernels of a file as a module; null after diagnostics, which go to stderr as Clang's do. With `syntaxOnly` the
/// module is empty. `symbols` gets those of `options.kernels`, the names of their entries.
mlir::OwningOpRef<mlir::ModuleOp> compile(const std::string &file, const CompileOptions &options,
                                          mlir::MLIRContext *context, std::vector<std::string> *symbols = nullptr);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_COMPILE_H
