// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs, run in several ways that have to agree; docs/testing.md.
#include "fuzz/programs/Campaign.h"
#include "fuzz/programs/Generator.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::programs;

namespace {

cl::OptionCategory category("Options of tilewright-programs");
cl::list<std::string> files(cl::Positional, cl::desc("[program.mlir...]"), cl::cat(category));
cl::opt<uint64_t> first("first", cl::desc("The first seed (default 0)"), cl::init(0), cl::cat(category));
cl::opt<uint64_t> number("count", cl::desc("So many programs (default 1000)"), cl::init(1000), cl::cat(category));
cl::opt<unsigned> jobs("jobs", cl::desc("Processes at a time (default 1)"), cl::init(1), cl::cat(category));
cl::opt<unsigned> seconds("seconds-per-program", cl::desc("What takes longer hangs (default 60)"), cl::init(60),
                          cl::cat(category));
cl::opt<unsigned> limit("seconds", cl::desc("Begin no further program after so many seconds (default: no limit)"),
                        cl::cat(category));
cl::opt<std::string> logFile("log", cl::desc("Note in this file what is done, and go on from what it says"),
                             cl::cat(category));
cl::list<std::string> ways(
    "ways", cl::CommaSeparated,
    cl::desc(
        "How to run each: 'checked' (the interpreter, which also looks for undefined "
        "behaviour), 'interpreter', or target and level as 'cpu:x86-64-v2/O3'; 'nvidia/O3' "
        "is GPU 0, 'nvidia:sm_80/O3/ptx' only compiles; the first is the reference (default checked,cpu/O0,cpu/O3)"),
    cl::cat(category));
cl::opt<std::string> found("found", cl::desc("Folder for programs that fail"), cl::cat(category));
cl::opt<bool> large("large", cl::desc("Products of tiles up to 256x256, for ways that compile only"),
                    cl::cat(category));
cl::opt<bool> printOnly("print", cl::desc("Print the program of the first seed, run nothing"), cl::cat(category));
cl::opt<bool> progress("progress", cl::desc("Show how far it is"), cl::cat(category));
cl::opt<bool> strict("strict", cl::desc("A program that a way has no code for is a failure"), cl::cat(category));

int fail(const Twine &message) {
  errs() << "error: " << message << '\n';
  return EXIT_FAILURE;
}

int printProgramOfSeed() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Program program = generate(first, &context, large);
  if (!program.module)
    return fail("the generated module does not verify");
  outs() << printProgram(program);
  return EXIT_SUCCESS;
}

int runFiles(ArrayRef<Way> chosen) {
  int status = EXIT_SUCCESS;
  for (const std::string &name : files) {
    auto buffer = MemoryBuffer::getFile(name, /*IsText=*/true);
    if (!buffer)
      return fail("cannot read '" + name + "': " + buffer.getError().message());
    auto source = parseProgram((*buffer)->getBuffer());
    if (!source)
      return fail(name + ": " + toString(source.takeError()));
    Report report = compare(*source, chosen);
    outs() << name << ": " << (report.verdict == Verdict::Same ? "all agree\n" : report.text);
    if (report.verdict != Verdict::Same)
      status = EXIT_FAILURE;
  }
  return status;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Random programs, run in several ways that have to agree\n");
  if (printOnly)
    return printProgramOfSeed();
  auto chosen = parseWays(ways);
  if (!chosen)
    return fail(toString(chosen.takeError()));
  if (!files.empty())
    return runFiles(*chosen);
  CampaignOptions options;
  options.ways = *chosen;
  options.first = first;
  options.count = number;
  options.jobs = jobs;
  options.secondsPerProgram = seconds;
  options.seconds = limit;
  options.strict = strict;
  options.found = found;
  options.showProgress = progress;
  options.large = large;
  std::unique_ptr<CampaignLog> log;
  if (!logFile.empty()) {
    auto opened = CampaignLog::open(logFile, "ways " + join(ways, ",") + (large ? " large" : ""));
    if (!opened)
      return fail(toString(opened.takeError()));
    log = std::move(*opened);
    options.log = log.get();
  }
  CampaignResult result = runCampaign(options);
  uint64_t refused = 0;
  for (const auto &[message, times] : result.refusals)
    refused += times;
  for (const auto &[message, times] : result.refusals)
    outs() << "refused " << times << ": " << message << '\n';
  outs() << result.same << " programs agree, " << refused << " refused, " << result.failures.size() << " failed; seeds "
         << first << " to " << first + number - 1 << " in " << static_cast<uint64_t>(result.seconds) << " s\n";
  if (log)
    outs() << logFile << ": " << log->numSame() << " programs agree in " << chosen->size() << " ways, "
           << log->refusals().size() << " refused, " << log->failures().size() << " failed\n";
  return result.failures.empty() && (!strict || !refused) ? EXIT_SUCCESS : EXIT_FAILURE;
}
