// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module in MLIR's llvm and nvvm dialects to PTX text. Nothing here knows about tiles.
//
//   llvm.func @k() attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128>}   ->   .visible .entry k() .reqntid 128
//
// Arithmetic is as written: `fmul` and `fadd` become mul.rn and add.rn, which no assembler contracts, unless the
// operations carry `contract`.
#ifndef TILEWRIGHT_TARGET_NVIDIA_PTX_H
#define TILEWRIGHT_TARGET_NVIDIA_PTX_H

#include "machine/Architecture.h"
#include "target/llvm/DebugInfo.h"
#include <functional>
#include <optional>
#include <string>

namespace mlir {
class DialectRegistry;
class ModuleOp;
class PassManager;
} // namespace mlir

namespace tilewright::nvidia {

struct PtxOptions {
  // 0: none; 1, 2 and 3: clang's. 1 is enough after the tile passes.
  unsigned optLevel = 1;
  DebugInfo debugInfo = DebugInfo::None;
  // Instead of the architecture's own, for an assembler or driver that is older.
  std::optional<PtxVersion> ptx;
  // Told what is being done from here on.
  std::function<void(const char *stage)> begin;
  // Called on the passes over the module before they run.
  std::function<void(mlir::PassManager &)> configure;
  // LLVM IR after its optimizer is appended to it.
  std::string *llvmIr = nullptr;
  // Where LLVM IR is printed before each pass of the optimizer; null for nowhere.
  llvm::raw_ostream *printBeforePasses = nullptr;
};

// Everything the translation takes: the nvvm dialect, and both dialects' way to LLVM IR.
void registerNvidiaTranslation(mlir::DialectRegistry &registry);

// Changes the module. `remarks` gets a line where the code is not what the name of the architecture says. Runs in a
// guarded body (support/Guard.h): of some wrong input LLVM says so by report_fatal_error.
llvm::Expected<std::string> emitPtx(mlir::ModuleOp module, const Architecture &architecture, const PtxOptions &options,
                                    std::string &remarks);

// The explanation of LLVM's fatal error where it is about an instruction that the architecture lacks.
std::optional<std::string> explainFatalError(llvm::StringRef message, const Architecture &architecture);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_PTX_H
