// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compilation of one module, on the guarded thread: its context, and the steps that lower it to a level.
#ifndef TILEWRIGHT_PIPELINE_COMPILATION_H
#define TILEWRIGHT_PIPELINE_COMPILATION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/Timing.h"
#include "pipeline/AskedHints.h"
#include "pipeline/Pipeline.h"
#include "pipeline/PlantedFailure.h"
#include "pipeline/TileIrFile.h"
#include "support/Diagnostics.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

namespace mlir {
class PassManager;
} // namespace mlir

namespace tilewright {

// The pass and the function that a compilation is at.
struct Progress {
  std::string running;
  bool isInternal = false; // it failed for a reason that no module may have
  // Of the largest tile in a thread of a GPU. Also read of a compilation that was given up and goes on.
  std::atomic<int64_t> registersOfTile = 0;
};

// Reports it to the listener of this thread, as LLVM's passes do.
class ProgressNote : public llvm::PrettyStackTraceEntry {
public:
  explicit ProgressNote(const Progress &progress) : progress(progress) {}
  void print(llvm::raw_ostream &os) const override { os << progress.running; }

private:
  const Progress &progress;
};

class Compilation {
public:
  Compilation(const TileIrFile &file, const Target &target, const PipelineOptions &options, PipelineReport &report,
              Progress &progress);
  ~Compilation();

  llvm::Error read();
  // The text or bytes of a level. The module goes there too: once.
  llvm::Expected<std::string> emit(Level level);

  // For the target, which does its part with them.

  // As far as it has come.
  mlir::ModuleOp getModule() { return *module; }
  const PipelineOptions &getOptions() const { return options; }
  PipelineReport &getReport() { return report; }
  Progress &getProgress() { return progress; }
  // Names the stage that runs from here to the end of the scope.
  mlir::TimingScope begin(const char *stage);
  void failIn(llvm::StringRef place) { planted.failIn(place); }
  void configure(mlir::PassManager &passes, mlir::TimingScope &scope);
  // Where LLVM IR is printed before each of LLVM's passes, if that is asked for; else null.
  llvm::raw_ostream *getLlvmDumps() { return options.printBeforeAll ? &dumps : nullptr; }
  // A line for the report, with its severity.
  void remark(llvm::StringRef line) { remarks += line; }
  // Code of a module in the llvm dialect that is better compiled by a child, nothing for others.
  llvm::Expected<std::optional<std::string>> emitInChild(Level level);

  // The diagnostics, or `what` if there are none: a failure without a diagnostic is a fault of the compiler.
  llvm::Error failure(const std::string &what);
  // The same for a step that explains its errors: a fault of the compiler only if the compiler made the input.
  llvm::Error refusal(llvm::Error error);
  llvm::Error ours(llvm::Error error);

private:
  // Runs the steps up to a level.
  llvm::Error lower(Level level);
  llvm::Expected<std::string> writeBytecode();

  Progress &progress;
  ProgressNote note;
  const TileIrFile &file;
  const Target &target;
  const PipelineOptions &options;
  PipelineReport &report;
  mlir::MLIRContext context;
  DiagnosticCollector diagnostics;
  llvm::raw_string_ostream dumps, timings;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root;
  std::string remarks; // besides the diagnostics
  PlantedFailure planted;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  AskedHints hints;
  Level began = Level::CudaTile; // where the module was when it was read
};

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_COMPILATION_H
