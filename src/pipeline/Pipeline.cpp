// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"

#include "pipeline/Compilation.h"
#include "pipeline/Reproducer.h"
#include "pipeline/entry/EntryInterface.h"
#include "support/PlanFile.h"
#include "llvm/Support/FileSystem.h"
#include <dlfcn.h>

using namespace mlir;

namespace tilewright {
namespace {

// One compilation with what goes in and comes out. The thread that compiles may outlive the caller's interest in it, so
// both own it.
struct Job {
  Job(Level level, StringRef module, StringRef name, const TargetRef &target, const PipelineOptions &options)
      : level(level), bytes(module.str()), name(name.str()), target(target), options(options) {}

  const Level level;
  const std::string bytes, name;
  const TileIrFile file{bytes, name};
  const TargetRef target;
  const PipelineOptions options;
  Progress progress;
  PipelineReport report;
  std::vector<EntryInfo> entries; // of levels that have code
  std::string output;
};

bool isLaunchable(Level level) {
  return level == Level::So || level == Level::Obj || level == Level::Cubin;
}

llvm::Error compileJob(Job &job) {
  Compilation compilation(job.file, *job.target, job.options, job.report, job.progress);
  if (llvm::Error error = compilation.read())
    return error;
  if (isLaunchable(job.level) || job.options.wantsExplanation)
    job.entries = describeEntries(compilation.getModule());
  auto result = compilation.emit(job.level);
  if (!result)
    return result.takeError();
  job.output = std::move(*result);
  if (job.options.wantsExplanation)
    job.report.entries = job.entries;
  if (isLaunchable(job.level))
    job.target->describe(compilation, job.entries);
  return llvm::Error::success();
}

// Compiles on a guarded thread. A failure of ours is reported with the place it happened in and with a file to send
// along.
llvm::Error runJob(const std::shared_ptr<Job> &job) {
  llvm::Error error = runGuarded([job] { return compileJob(*job); }, job->options.limits);
  auto locate = [&](std::string text, StringRef where) {
    where.consume_front("Running "); // as LLVM says of its passes
    if (!where.empty())
      text += (" (in " + where + ")").str();
    return text;
  };
  // The reason of a slow compilation, where it is known.
  auto hint = [&]() -> std::string {
    int64_t registers = job->progress.registersOfTile;
    if (registers <= nvidia::Architecture::registersPerThread)
      return "";
    return "; its largest tile takes " + std::to_string(registers) + " registers of each thread, which has " +
           std::to_string(nvidia::Architecture::registersPerThread) + " at most: use smaller tiles";
  };
  auto explain = [&](const std::string &message, StringRef where) {
    return locate(message, where) + keepForReport(job->file, job->level, *job->target, job->options);
  };
  return llvm::handleErrors(
      asPlanError(std::move(error), job->options.planName),
      [&](std::unique_ptr<GuardFailure> failure) -> llvm::Error {
        if (failure->getKind() == GuardFailure::Kind::Fatal)
          if (auto text = job->target->explainFatalError(failure->message()))
            return llvm::createStringError(*text);
        std::string message = failure->message();
        if (failure->getKind() == GuardFailure::Kind::TimeLimit)
          message += hint();
        bool isWanted = failure->getKind() == GuardFailure::Kind::Interrupted;
        message = isWanted ? locate(message, failure->where()) : explain(message, failure->where());
        return llvm::make_error<GuardFailure>(failure->getKind(), message, failure->where());
      },
      [&](std::unique_ptr<llvm::StringError> failure) -> llvm::Error {
        if (!job->progress.isInternal)
          return llvm::Error(std::move(failure));
        return llvm::createStringError(explain(failure->getMessage(), job->progress.running));
      });
}

} // namespace

llvm::Expected<std::string> compileTo(Level level, StringRef module, StringRef name, const TargetRef &target,
                                      const PipelineOptions &options, PipelineReport &report) {
  auto job = std::make_shared<Job>(level, module, name, target, options);
  llvm::Error error = runJob(job);
  report = std::move(job->report);
  if (error)
    return error;
  return std::move(job->output);
}

llvm::Expected<Image> compileToImage(StringRef module, StringRef name, const Machine &machine,
                                     const PipelineOptions &options, PipelineReport &report) {
  auto job = std::make_shared<Job>(Level::Obj, module, name, cpuTarget(machine), options);
  llvm::Error error = runJob(job);
  report = std::move(job->report);
  if (error)
    return error;
  return Image{std::move(job->entries), report.remarks, std::move(job->output)};
}

llvm::Expected<cuda::GpuImage> compileToGpuImage(StringRef module, StringRef name,
                                                 const nvidia::Architecture &architecture, int driver,
                                                 const PipelineOptions &options, PipelineReport &report) {
  PipelineOptions wanted = options;
  wanted.nvidia.assemblers.driver = driver;
  auto code = compileTo(Level::Cubin, module, name, nvidiaTarget(architecture), wanted, report);
  if (!code)
    return code.takeError();
  cuda::GpuImage image = std::move(report.image);
  image.remarks = report.remarks;
  image.code = std::move(*code);
  return image;
}

llvm::Expected<Explanation> explain(StringRef module, StringRef name, const TargetRef &target,
                                    const PipelineOptions &options, PipelineReport &report) {
  const nvidia::Architecture *architecture = target->getArchitecture();
  PipelineOptions wanted = options;
  wanted.wantsExplanation = true;
  if (auto code = compileTo(architecture ? Level::Cubin : Level::Plan, module, name, target, wanted, report); !code)
    return code.takeError();
  Explanation explanation{target->name(), architecture, std::move(report.kernels), {}};
  for (KernelExplanation &kernel : explanation.kernels)
    kernel.hints = hintsOf(kernel.name, report.optimizations);
  CodeFacts code{report.ptx, report.image.entries, report.cubin.kernels, report.whyNoCubin};
  if (architecture) {
    explainCode(explanation.kernels, *architecture, code);
    explanation.target = architecture->name;
  }
  explanation.models = modelKernels(std::move(report.work), code, report.entries);
  return explanation;
}

const std::string &compilerIdentity() {
  static const std::string identity = [] {
    std::string text = "tilewright 0.1.0";
    Dl_info info;
    llvm::sys::fs::file_status status;
    if (dladdr(reinterpret_cast<void *>(&compileToImage), &info) && !llvm::sys::fs::status(info.dli_fname, status))
      text += ' ' + std::to_string(status.getSize()) + ' ' +
              std::to_string(llvm::sys::toTimeT(status.getLastModificationTime()));
    return text;
  }();
  return identity;
}

} // namespace tilewright
