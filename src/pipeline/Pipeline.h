// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a cuda_tile module to code of a target, as a list of levels. Every front end, tool and test goes through
// here.
#ifndef TILEWRIGHT_PIPELINE_PIPELINE_H
#define TILEWRIGHT_PIPELINE_PIPELINE_H

#include "pipeline/ChildStage.h"
#include "pipeline/Target.h"
#include "pipeline/explain/Explanation.h"
#include "runtime/cuda/GpuImage.h"
#include "support/Guard.h"
#include "support/Remarks.h"
#include "target/cpu/CodeGen.h"
#include "target/nvidia/Cubin.h"
#include "target/nvidia/Switches.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

// Options of NVIDIA's targets.
struct NvidiaOptions {
  nvidia::AssemblerSearch assemblers;
  nvidia::Switches switches;
  bool checkAccesses = false; // CubinOptions
  nvidia::LaunchAbi abi = nvidia::LaunchAbi::Tilewright;
  bool records = false; // agents note what they do (abi/AgentRecords.h)
};

struct PipelineOptions {
  CodeGenOptions codeGen; // its level of optimization is that of every target
  DebugInfo debugInfo = DebugInfo::None;
  // The level that a program requests, 0 to 3, if a remark is to answer it.
  std::optional<unsigned> askedLevel;
  NvidiaOptions nvidia;
  // The bitcode that has the functions of f32 (target/nvidia/Libdevice.h); empty: they are this compiler's.
  std::string libdevice;
  // Decisions that replace the compiler's, as the level plan prints them, and the name of that text in errors.
  std::string plan, planName;
  // Passes by their command-line name whose result is printed; "all" for every one.
  std::vector<std::string> dumpAfter;
  bool printBeforeAll = false; // LLVM's optimizer included, its code generator not
  bool timing = false;
  bool verifyEach = true;
  // Whether the optimizer's remarks are collected.
  bool wantsRemarks = false;
  // Whether facts for an explanation are collected.
  bool wantsExplanation = false;
  // Whether LLVM works in a child process; a command that is a process of its own needs none.
  Isolation isolation = Isolation::Never;
  // The time limit, and another way to cancel.
  Limits limits{std::chrono::seconds(60), {}};
  // Whether a module that the compiler fails on is kept.
  bool keepFailures = true;
  // A failure on purpose, for tests: see PlantedFailure.h.
  std::string failIn;
};

// The results of a compilation besides its code.
struct PipelineReport {
  std::string remarks; // warnings and remarks, with source lines
  std::vector<OptimizationRemark> optimizations;
  std::string dumps; // the output of dumpAfter and printBeforeAll
  std::string timing;
  std::string header;                     // C declarations of the object or shared library
  nvidia::Cubin cubin;                    // the assembler's report; without the code
  cuda::GpuImage image;                   // how its kernels are launched; likewise
  std::vector<KernelExplanation> kernels; // with wantsExplanation
  std::vector<predict::Work> work;        // likewise, where the model of time knows the target
  std::vector<EntryInfo> entries;         // likewise
  std::string ptx;                        // likewise
  std::string whyNoCubin;                 // likewise: no assembler can be used
};

// The module is bytecode of Tile IR, or text, which may start at any level of the target that is MLIR. Runs guarded on
// a thread and context of its own. Emits the text or bytes of that level (So: an object, to be linked).
llvm::Expected<std::string> compileTo(Level level, llvm::StringRef module, llvm::StringRef name,
                                      const TargetRef &target, const PipelineOptions &options, PipelineReport &report);

// The same up to an object for a CPU, with the descriptions that a launcher needs.
llvm::Expected<Image> compileToImage(llvm::StringRef module, llvm::StringRef name, const Machine &machine,
                                     const PipelineOptions &options, PipelineReport &report);

// The same up to an image that a driver of this version of CUDA (AssemblerSearch) loads: a cubin, or PTX if there is no
// better assembler.
llvm::Expected<cuda::GpuImage> compileToGpuImage(llvm::StringRef module, llvm::StringRef name,
                                                 const nvidia::Architecture &architecture, int driver,
                                                 const PipelineOptions &options, PipelineReport &report);

// The decisions for each kernel of a module, the resources of its code, and the models of its time.
llvm::Expected<Explanation> explain(llvm::StringRef module, llvm::StringRef name, const TargetRef &target,
                                    const PipelineOptions &options, PipelineReport &report);

// Changes with the compiler: code of another build is never taken from a cache.
const std::string &compilerIdentity();

// Everything the pipeline parses or produces.
void registerPipelineDialects(mlir::DialectRegistry &registry);
// Our passes and the upstream ones the pipeline uses, by name, for tilewright-opt; and whole pipelines of targets.
void registerPipelinePasses();
void registerPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_PIPELINE_H
