// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations that the two halves of the Python module tilewright._native share.
#ifndef TILEWRIGHT_PYTHON_NATIVE_BINDINGS_H
#define TILEWRIGHT_PYTHON_NATIVE_BINDINGS_H

#include "Text.h"

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "session/LoadEntry.h"
#include "support/Guard.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <nanobind/nanobind.h>
#include <string>

namespace tilewright::interpreter {
class Program;
} // namespace tilewright::interpreter

namespace tilewright::python {

/// A module under construction or read from text. It owns its context: modules of different threads share nothing.
/// The builtin module holds one cuda_tile.module, which holds the entries.
struct ModuleHandle {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The insertion point; null once building has ended.
  mlir::Block *insertionBlock = nullptr;
  /// By their text.
  llvm::StringMap<mlir::Type> types;
  llvm::StringMap<mlir::Attribute> attributes;
  /// Once it was interpreted; holds the memory of its globals.
  std::shared_ptr<interpreter::Program> program;
};

/// A context for one module.
std::shared_ptr<mlir::MLIRContext> createContext();

/// The cuda_tile.module, or null.
cuda_tile::ModuleOp tileModuleOf(ModuleHandle &handle);

/// Raises the error as an exception of tilewright.errors, or the exception that interrupted the compilation.
[[noreturn]] void raiseCompilerError(llvm::Error error);

/// The value, or the error as raiseCompilerError raises it.
template <typename T> T unwrap(llvm::Expected<T> value) {
  if (!value)
    raiseCompilerError(value.takeError());
  return std::move(*value);
}

/// The value, or a ValueError.
template <typename T> T valid(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  raise(PyExc_ValueError, llvm::toString(value.takeError()));
}

/// A module given from Python: built by the front end, or MLIR text or bytecode.
session::ModuleSource sourceOf(nanobind::handle module);

/// Whether a signal handler of Python raised an exception. Called without the GIL: on the main thread handlers run,
/// others never see a signal.
bool interruptedByPython();

/// Module, Operation, Block, Value, Location and the functions that build them.
nanobind::class_<ModuleHandle> bindBuilder(nanobind::module_ &m);

/// Reading and writing modules.
void bindTileIr(nanobind::module_ &m, nanobind::class_<ModuleHandle> &module);

/// Compilation, launch and caches.
void bindRuntime(nanobind::module_ &m);

/// This machine, and NVIDIA GPUs in general.
void bindMachines(nanobind::module_ &m);

/// GPUs and launches on them.
void bindGpuLaunch(nanobind::module_ &m);

} // namespace tilewright::python

#endif
