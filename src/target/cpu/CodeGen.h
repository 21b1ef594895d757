// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module in MLIR's llvm dialect to machine code of a CPU: LLVM IR for the machine, LLVM's optimizer, then an
// object, assembly, or a shared library. Nothing here knows about tiles.
#ifndef TILEWRIGHT_TARGET_CPU_CODEGEN_H
#define TILEWRIGHT_TARGET_CPU_CODEGEN_H

#include "machine/Machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class raw_ostream;
} // namespace llvm
namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace tilewright {

struct CodeGenOptions {
  // 0: none; 1: a few passes, enough after the tile passes; 2 and 3: clang's -O1 and -O3, which take several times as
  // long for the same speed.
  unsigned optLevel = 1;
  // LLVM's own loop and straight-line vectorizers and unroller.
  bool loopTransforms = false;
  // Where LLVM IR is printed before each pass of the optimizer; null for nowhere.
  llvm::raw_ostream *printBeforePasses = nullptr;
};

enum class CodeKind { Object, Assembly };

// Makes the llvm dialect translatable in contexts of this registry.
void registerCpuTranslation(mlir::DialectRegistry &registry);

// The module's functions get the machine's triple, data layout, cpu and features.
llvm::Expected<std::unique_ptr<llvm::Module>> translateToLLVM(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                              const Machine &machine, const CodeGenOptions &options);

llvm::Error optimize(llvm::Module &module, const Machine &machine, const CodeGenOptions &options);

/// Choices by a comparison do not become maxima and minima, which take signaling NaNs otherwise; part of `optimize` for
/// aarch64.
void keepChoices(llvm::Module &module);

/// Vectors of f16 and bf16 that are moved past the cache become vectors of integers; part of `optimize`.
void moveHalvesAsIntegers(llvm::Module &module);

// `beforeFunction` runs among LLVM's passes, before those that select instructions.
llvm::Expected<llvm::SmallVector<char, 0>> emitCode(llvm::Module &module, const Machine &machine, CodeKind kind,
                                                    const CodeGenOptions &options,
                                                    llvm::function_ref<void()> beforeFunction = {});

// Links one relocatable object into a shared library. The runtime's callbacks stay undefined; the program that loads
// the library has them.
llvm::Error linkSharedLibrary(llvm::ArrayRef<char> object, llvm::StringRef output);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_CPU_CODEGEN_H
