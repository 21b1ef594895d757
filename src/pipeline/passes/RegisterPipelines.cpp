// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines of targets by name, for tilewright-opt: the passes between two levels as every compilation runs them.
//
//   --tilewright-tileaa             cuda_tile to tileaa
//   --tilewright-tileas=arch=sm_90  tileaa to tileas, with every decision
//   --tilewright-final=arch=sm_90   tileas to final tileas: places, barriers, and what verify-tileas holds against them
//   --tilewright-nvvm=arch=sm_90    tileas to kernels in the llvm dialect: final tileas, and its lowering
//   --tilewright-nvidia=arch=sm_90  all of them, one after another
//   --tilewright-linalg             tileaa to linalg with plans
//   --tilewright-cpu                cuda_tile to functions in the llvm dialect
#include "pipeline/Pipeline.h"

#include "pipeline/passes/CpuPipeline.h"
#include "pipeline/passes/NvidiaPipeline.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct NoOptions : PassPipelineOptions<NoOptions> {};

struct GpuOptions : PassPipelineOptions<GpuOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("architecture, as in sm_90"), llvm::cl::init("sm_80")};
  Option<bool> portable{*this, "portable", llvm::cl::desc("for any launcher: kernels have the entry's parameters only"),
                        llvm::cl::init(false)};

  nvidia::LaunchAbi abi() const { return portable ? nvidia::LaunchAbi::Portable : nvidia::LaunchAbi::Tilewright; }
};

struct CpuOptions : PassPipelineOptions<CpuOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("machine, as in cpu:x86-64-v3"), llvm::cl::init("cpu")};
};

// The value of an option, parsed; the error of one that is not is the pipeline's.
llvm::Expected<const nvidia::Architecture *> parse(const GpuOptions &options) {
  return nvidia::parseArchitecture(options.arch);
}
llvm::Expected<Machine> parse(const CpuOptions &options) {
  return parseMachine(options.target);
}
llvm::Expected<std::nullopt_t> parse(const NoOptions &) {
  return std::nullopt;
}

// `build` adds the passes, for the options and what they were parsed to.
template <typename Options, typename Build> void add(StringRef name, StringRef summary, Build build) {
  registerPassPipeline(
      name, summary,
      [build](OpPassManager &passes, StringRef text, function_ref<LogicalResult(const Twine &)> fail) {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        auto parsed = parse(options);
        if (!parsed)
          return fail(llvm::toString(parsed.takeError()));
        build(passes, options, *parsed);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> handle) { handle(Options()); });
}

void buildTileas(OpPassManager &passes, const GpuOptions &options, const nvidia::Architecture *architecture) {
  buildTileaaToTileas(passes, *architecture, options.abi(), nvidia::Switches::fromEnvironment());
}

void buildFinal(OpPassManager &passes, const GpuOptions &options, const nvidia::Architecture *architecture) {
  buildTileasFinalization(passes, *architecture, options.abi(), nvidia::Switches::fromEnvironment());
}

void buildNvvm(OpPassManager &passes, const GpuOptions &options, const nvidia::Architecture *architecture) {
  buildTileasToLlvm(passes, *architecture, options.abi(), nvidia::Switches::fromEnvironment(), /*libdevice=*/"");
}

} // namespace

void tilewright::registerPipelines() {
  add<NoOptions>("tilewright-tileaa", "Lower cuda_tile to tileaa",
                 [](OpPassManager &passes, const NoOptions &, std::nullopt_t) { buildCudaTileToTileaa(passes); });
  add<GpuOptions>("tilewright-tileas", "Lower tileaa to scheduled tileas", buildTileas);
  add<GpuOptions>("tilewright-final", "Lower scheduled tileas to final tileas", buildFinal);
  add<GpuOptions>("tilewright-nvvm", "Lower tileas to kernels in the llvm dialect", buildNvvm);
  add<GpuOptions>("tilewright-nvidia", "Lower cuda_tile to kernels of a GPU in the llvm dialect",
                  [](OpPassManager &passes, const GpuOptions &options, const nvidia::Architecture *architecture) {
                    buildCudaTileToTileaa(passes);
                    buildTileas(passes, options, architecture);
                    buildNvvm(passes, options, architecture);
                  });
  add<CpuOptions>(
      "tilewright-linalg", "Lower tileaa to linalg with plans",
      [](OpPassManager &passes, const CpuOptions &, const Machine &machine) { buildTileaaToLinalg(passes, machine); });
  add<CpuOptions>("tilewright-cpu", "Lower cuda_tile to functions of a CPU in the llvm dialect",
                  [](OpPassManager &passes, const CpuOptions &, const Machine &machine) {
                    buildCudaTileToTileaa(passes);
                    buildTileaaToLinalg(passes, machine);
                    buildLinalgToLLVM(passes, machine);
                  });
}
