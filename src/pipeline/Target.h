// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target as the pipeline sees it: the levels that a module goes through on its way there, the passes from one to the
// next, and the emission of code from the last dialect. The machinery around them (reading, dumps, timing,
// failures, children, caches) is the same for all and knows none of them.
//
//   cpu:x86-64-v3     cuda_tile - tileaa - linalg - llvm - asm, obj, so
//   nvidia:sm_90a     cuda_tile - tileaa - tileas - llvm - ptx, cubin
#ifndef TILEWRIGHT_PIPELINE_TARGET_H
#define TILEWRIGHT_PIPELINE_TARGET_H

#include "machine/Architecture.h"
#include "machine/Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace mlir {
class ModuleOp;
class OpPassManager;
} // namespace mlir

namespace tilewright {

class Compilation;
struct PipelineOptions;
struct EntryInfo;

// The levels of a module that `--emit` accepts. A target has some of them, in this order. Tilebc is the cuda_tile level
// as bytecode of the newest version; Plan is the text of the compiler's decisions.
enum class Level { CudaTile, Tilebc, Tileaa, Linalg, Tileas, Plan, Llvm, Asm, Ptx, Obj, Cubin, So };

struct LevelInfo {
  Level level;
  llvm::StringLiteral name;    // as in --emit=
  llvm::StringLiteral summary; // one line of help
};
llvm::ArrayRef<LevelInfo> levels();
llvm::StringRef nameOf(Level level);

// Passes that lower a module to a level. Those before the module's own level are skipped.
struct Step {
  Level reaches;
  llvm::StringLiteral name;
  std::function<void(mlir::OpPassManager &)> build;
};

// The step that all targets begin with.
void buildCudaTileToTileaa(mlir::OpPassManager &passes);

class Target {
public:
  virtual ~Target() = default;

  // As the user writes it; parseTarget takes it.
  virtual std::string name() const = 0;
  virtual llvm::ArrayRef<Level> levels() const = 0;
  // The default.
  virtual Level codeLevel() const = 0;
  llvm::Expected<Level> parseLevel(llvm::StringRef name) const;
  bool has(Level level) const { return llvm::is_contained(levels(), level); }
  // Compilations of one module with equal keys have equal results.
  virtual std::string key(const PipelineOptions &options) const = 0;

  // For Compilation.
  virtual std::vector<Step> steps(const PipelineOptions &options) const = 0;
  // The level whose module holds the decisions.
  virtual Level planLevel() const = 0;
  // The module has reached that level, or started there: applies the user's decisions, and checks them.
  virtual llvm::Error arrive(Level level, Compilation &compilation) const = 0;
  virtual std::string printPlans(mlir::ModuleOp module) const = 0;
  // From the llvm dialect to the text or bytes of a level from Llvm on.
  virtual llvm::Expected<std::string> emitCode(Level level, Compilation &compilation) const = 0;
  // Adds the facts of entries that only their code has.
  virtual void describe(Compilation &compilation, std::vector<EntryInfo> &entries) const = 0;
  // Of a GPU.
  virtual const nvidia::Architecture *getArchitecture() const { return nullptr; }
  // The name of hints for this target, besides `default`; empty if there are none.
  virtual std::string hintTarget() const { return ""; }
  // The meaning of a fatal error of LLVM for the user, where it is known.
  virtual std::optional<std::string> explainFatalError(llvm::StringRef) const { return std::nullopt; }
};

// A compilation that was given up may go on for a while, and has it then.
using TargetRef = std::shared_ptr<const Target>;

TargetRef cpuTarget(const Machine &machine);
TargetRef nvidiaTarget(const nvidia::Architecture &architecture);
// `cpu`, `cpu:x86-64-v3`, `nvidia:sm_90`, `sm_90`, ...
llvm::Expected<TargetRef> parseTarget(llvm::StringRef name);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_TARGET_H
