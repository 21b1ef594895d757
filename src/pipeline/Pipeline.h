// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a cuda_tile module to code of a CPU, as a list of levels. Every front end, tool and test goes through
// here.
#ifndef TILEWRIGHT_PIPELINE_PIPELINE_H
#define TILEWRIGHT_PIPELINE_PIPELINE_H

#include "pipeline/ChildStage.h"
#include "runtime/Image.h"
#include "support/Guard.h"
#include "target/cpu/CodeGen.h"
#include "target/cpu/Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

// What can be asked for, in the order of the path. Tilebc is the cuda_tile level as bytecode of the newest version,
// Plan the linalg level seen through the plan attribute alone.
enum class Level { CudaTile, Tilebc, Tileaa, Linalg, Plan, Llvm, Asm, Obj, So };

struct LevelInfo {
  Level level;
  llvm::StringLiteral name;    // as in --emit=
  llvm::StringLiteral summary; // one line of help
};
llvm::ArrayRef<LevelInfo> levels();
std::optional<Level> levelByName(llvm::StringRef name);

struct PipelineOptions {
  CodeGenOptions codeGen;
  // What to decide otherwise, as the level plan prints it, and what to call that text in errors.
  std::string plan, planName;
  // Passes by their command-line name whose result is printed; "all" for every one.
  std::vector<std::string> dumpAfter;
  bool printBeforeAll = false;
  bool timing = false;
  bool verifyEach = true;
  // Whether LLVM works in a child process; a command that is a process of its own needs none.
  Isolation isolation = Isolation::Never;
  // How long it may take, and who else may stop it.
  Limits limits{std::chrono::seconds(60), {}};
  // Whether a module that the compiler fails on is kept.
  bool keepFailures = true;
  // To see what a failure of the compiler does to its user: see PlantedFailure.h.
  std::string failIn;
};

// What compiling had to say besides its result.
struct PipelineReport {
  std::string remarks; // warnings and remarks, with source lines
  std::string dumps;   // what dumpAfter and printBeforeAll asked for
  std::string timing;
  std::string header; // C declarations of what an object or shared library holds
};

// The module is bytecode of Tile IR, or text, which may start at any level up to Linalg. Runs guarded on a thread and
// context of its own. Emits the text or bytes of that level (So: an object, to be linked).
llvm::Expected<std::string> compileTo(Level level, llvm::StringRef module, llvm::StringRef name, const Machine &machine,
                                      const PipelineOptions &options, PipelineReport &report);

// The same as far as an object, with what a launcher needs.
llvm::Expected<Image> compileToImage(llvm::StringRef module, llvm::StringRef name, const Machine &machine,
                                     const PipelineOptions &options, PipelineReport &report);

// Everything the pipeline parses or produces.
void registerPipelineDialects(mlir::DialectRegistry &registry);
// Our passes and the upstream ones the pipeline uses, by name, for tilewright-opt.
void registerPipelinePasses();

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_PIPELINE_H
