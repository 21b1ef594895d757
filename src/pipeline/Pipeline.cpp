// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "pipeline/CHeader.h"
#include "pipeline/Compilation.h"
#include "pipeline/EntryInterface.h"
#include "pipeline/Reproducer.h"

using namespace mlir;

namespace tilewright {
namespace {

constexpr LevelInfo levelTable[] = {
    {Level::CudaTile, "cuda_tile", "the module as the front end wrote it"},
    {Level::Tilebc, "tilebc", "the same as bytecode"},
    {Level::Tileaa, "tileaa", "control flow as scf, views and pointers explicit"},
    {Level::Linalg, "linalg", "loops over tiles for the machine, with the plan"},
    {Level::Plan, "plan", "what the compiler decided for each kernel"},
    {Level::Llvm, "llvm", "LLVM IR after optimization"},
    {Level::Asm, "asm", "assembly"},
    {Level::Obj, "obj", "relocatable object"},
    {Level::So, "so", "shared library"},
};

// The entries of a module in the llvm dialect, with the scratch that the passes measured.
void readScratch(ModuleOp module, std::vector<EntryInfo> &entries) {
  module.walk([&](LLVM::LLVMFuncOp function) {
    auto scratch = function->getAttrOfType<IntegerAttr>("tilewright.scratch_bytes");
    if (!scratch)
      return;
    auto known = llvm::find_if(entries, [&](const EntryInfo &entry) { return entry.name == function.getName(); });
    EntryInfo &entry = known == entries.end() ? entries.emplace_back() : *known;
    entry.name = function.getName().str();
    entry.scratchBytes = scratch.getInt();
  });
}

// One compilation with what goes in and comes out. The thread that compiles may outlive the caller's interest in it, so
// both own it.
struct Job {
  Job(Level level, StringRef module, StringRef name, const Machine &machine, const PipelineOptions &options)
      : level(level), bytes(module.str()), name(name.str()), machine(machine), options(options) {}

  const Level level;
  const std::string bytes, name;
  const TileIrFile file{bytes, name};
  const Machine machine;
  const PipelineOptions options;
  Progress progress;
  PipelineReport report;
  std::vector<EntryInfo> entries; // of levels that have code
  std::string output;
};

llvm::Error compileJob(Job &job) {
  Compilation compilation(job.file, job.machine, job.options, job.report, job.progress);
  if (llvm::Error error = compilation.read())
    return error;
  bool isCode = job.level == Level::So || job.level == Level::Obj;
  if (isCode)
    job.entries = describeEntries(compilation.getModule());
  auto result = compilation.emit(job.level);
  if (!result)
    return result.takeError();
  job.output = std::move(*result);
  if (isCode) {
    readScratch(compilation.getModule(), job.entries);
    job.report.header = writeCHeader(job.entries, job.machine);
  }
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
  auto explain = [&](const std::string &message, StringRef where) {
    return locate(message, where) + keepForReport(job->file, job->level, job->machine, job->options);
  };
  return llvm::handleErrors(
      std::move(error),
      [&](std::unique_ptr<GuardFailure> failure) -> llvm::Error {
        bool isWanted = failure->getKind() == GuardFailure::Kind::Interrupted;
        return llvm::make_error<GuardFailure>(failure->getKind(),
                                              isWanted ? locate(failure->message(), failure->where())
                                                       : explain(failure->message(), failure->where()),
                                              failure->where());
      },
      [&](std::unique_ptr<llvm::StringError> failure) -> llvm::Error {
        if (!job->progress.isInternal)
          return llvm::Error(std::move(failure));
        return llvm::createStringError(explain(failure->getMessage(), job->progress.running));
      });
}

} // namespace

llvm::ArrayRef<LevelInfo> levels() {
  return levelTable;
}

std::optional<Level> levelByName(StringRef name) {
  for (const LevelInfo &info : levelTable)
    if (info.name == name)
      return info.level;
  return std::nullopt;
}

llvm::Expected<std::string> compileTo(Level level, StringRef module, StringRef name, const Machine &machine,
                                      const PipelineOptions &options, PipelineReport &report) {
  auto job = std::make_shared<Job>(level, module, name, machine, options);
  llvm::Error error = runJob(job);
  report = std::move(job->report);
  if (error)
    return error;
  return std::move(job->output);
}

llvm::Expected<Image> compileToImage(StringRef module, StringRef name, const Machine &machine,
                                     const PipelineOptions &options, PipelineReport &report) {
  auto job = std::make_shared<Job>(Level::Obj, module, name, machine, options);
  llvm::Error error = runJob(job);
  report = std::move(job->report);
  if (error)
    return error;
  return Image{std::move(job->entries), report.remarks, std::move(job->output)};
}

} // namespace tilewright
