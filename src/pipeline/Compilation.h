// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One module on its way, alive on the guarded thread: the context it lives in, and the steps that bring it to a level.
#ifndef TILEWRIGHT_PIPELINE_COMPILATION_H
#define TILEWRIGHT_PIPELINE_COMPILATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"
#include "pipeline/Pipeline.h"
#include "pipeline/PlantedFailure.h"
#include "pipeline/TileIrFile.h"
#include "support/Diagnostics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir {
class PassManager;
} // namespace mlir

namespace tilewright {

// What a compilation is at.
struct Progress {
  std::string running;
  bool isInternal = false; // it failed for a reason that no module may have
};

// Says it to whoever asks this thread, the way LLVM's passes do.
class ProgressNote : public llvm::PrettyStackTraceEntry {
public:
  explicit ProgressNote(const Progress &progress) : progress(progress) {}
  void print(llvm::raw_ostream &os) const override { os << progress.running; }

private:
  const Progress &progress;
};

class Compilation {
public:
  Compilation(const TileIrFile &file, const Machine &machine, const PipelineOptions &options, PipelineReport &report,
              Progress &progress);
  ~Compilation();

  llvm::Error read();
  // The text or bytes of a level. The module goes there too: once.
  llvm::Expected<std::string> emit(Level level);
  // As far as it has come.
  mlir::ModuleOp getModule() { return *module; }

private:
  // Runs the steps up to a level.
  llvm::Error lower(Level level);
  // The plans are the linalg level's; from here they are as asked for, and can be followed.
  llvm::Error decide();
  llvm::Expected<std::string> writeBytecode();
  llvm::Expected<std::unique_ptr<llvm::Module>> translate();
  llvm::Error optimizeIr(llvm::Module &ir);
  llvm::Expected<std::string> emitCodeOf(llvm::Module &ir, CodeKind kind);
  // Code of a module that is better compiled by a child, nothing for others.
  llvm::Expected<std::optional<std::string>> emitInChild(Level level);

  mlir::TimingScope begin(const char *stage);
  void configure(mlir::PassManager &passes, mlir::TimingScope &scope);
  // The diagnostics, or `what` where there are none: a failure that nobody explained is ours.
  llvm::Error failure(const std::string &what);
  llvm::Error ours(llvm::Error error);

  Progress &progress;
  ProgressNote note;
  const TileIrFile &file;
  const Machine &machine;
  const PipelineOptions &options;
  PipelineReport &report;
  mlir::MLIRContext context;
  llvm::LLVMContext llvmContext;
  DiagnosticCollector diagnostics;
  llvm::raw_string_ostream dumps, timings;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root;
  std::string longBlocks; // remarks
  PlantedFailure planted;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_COMPILATION_H
