// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command `tilewright`. Modules are worked on here; kernels in Python files by `python3 -m tilewright`, which takes
// the same commands and options.
#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"
#include "pipeline/entry/ModuleInfo.h"
#include "target/nvidia/Libdevice.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {

cl::SubCommand compileCommand("compile", "compile a module or a kernel");
cl::SubCommand explainCommand("explain", "say what was decided for each kernel, and what its code uses");
cl::SubCommand disCommand("dis", "print Tile IR as text");
cl::SubCommand asCommand("as", "write Tile IR as bytecode");
cl::SubCommand infoCommand("info", "say what a file of Tile IR has in it");

cl::opt<std::string> input(cl::Positional, cl::desc("<bytecode, text, - or file.py:kernel>"), cl::Required,
                           cl::sub(compileCommand), cl::sub(explainCommand));
cl::opt<std::string> tileIr(cl::Positional, cl::desc("<bytecode, text or ->"), cl::Required, cl::sub(disCommand),
                            cl::sub(asCommand), cl::sub(infoCommand));
cl::opt<std::string> output("o", cl::desc("output file, - for the terminal"), cl::init("-"), cl::sub(compileCommand),
                            cl::sub(explainCommand), cl::sub(disCommand), cl::sub(asCommand), cl::sub(infoCommand));

cl::opt<std::string> target("target",
                            cl::desc("cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3, cpu:x86-64-v4, or nvidia:sm_90 "
                                     "and the like"),
                            cl::init("cpu"), cl::sub(compileCommand), cl::sub(explainCommand));
cl::opt<std::string> emit("emit",
                          cl::desc("a level of the target: of cpu cuda_tile, tilebc, tileaa, linalg, plan, llvm, asm, "
                                   "obj (default) or so; of nvidia cuda_tile, tilebc, tileaa, tileas, plan, llvm, "
                                   "ptx or cubin (default)"),
                          cl::sub(compileCommand));
cl::opt<std::string> signature("signature",
                               cl::desc("argument types of a Python kernel, as in 'float32[:,::1], int32, 128'"),
                               cl::sub(compileCommand), cl::sub(explainCommand));
cl::opt<std::string> plan("plan", cl::desc("file that decides otherwise, as --emit=plan prints it"),
                          cl::sub(compileCommand));
cl::list<std::string> dumpAfter("dump-after", cl::desc("print the module after this pass, or after all"),
                                cl::CommaSeparated, cl::sub(compileCommand));
cl::opt<bool> printBeforeAll("print-before-all",
                             cl::desc("print the module before every pass, those of LLVM's optimizer included"),
                             cl::sub(compileCommand));
cl::opt<double> timeLimit("time-limit", cl::desc("seconds that compiling may take, 0 for as long as it likes"),
                          cl::value_desc("seconds"), cl::init(60), cl::sub(compileCommand));
cl::opt<std::string> failIn("fail-in", cl::desc("fail in a way at a place, as in crash:cpu-plan"), cl::Hidden,
                            cl::sub(compileCommand));
cl::opt<bool> timing("timing", cl::desc("print where the time went"), cl::sub(compileCommand));
cl::opt<unsigned> optLevel("opt-level", cl::desc("level of LLVM's optimizer, 0 to 3"), cl::init(1),
                           cl::sub(compileCommand), cl::sub(explainCommand));
cl::opt<bool> lineInfo("lineinfo", cl::desc("code of nvidia says which lines it is from"), cl::sub(compileCommand),
                       cl::sub(explainCommand));
cl::opt<bool> deviceDebug("g", cl::desc("code of nvidia is for a debugger, without optimization"),
                          cl::sub(compileCommand));
cl::opt<std::string> assembler("assembler", cl::desc("the ptxas or libnvJitLink that makes a cubin"),
                               cl::value_desc("file"), cl::sub(compileCommand), cl::sub(explainCommand));
cl::opt<bool> resources("resources", cl::desc("print what each kernel of a cubin uses"), cl::sub(compileCommand));
cl::opt<bool> remarks("remarks", cl::desc("print what the optimizer says of its decisions"), cl::sub(compileCommand));
cl::opt<bool> asChild("as-child", cl::desc("work for another process"), cl::Hidden, cl::sub(compileCommand));

cl::opt<bool> debugInfo("g", cl::desc("print locations"), cl::sub(disCommand));
cl::opt<std::string> bytecodeVersion("bytecode-version", cl::desc("version to write, as in 13.3; default: the newest"),
                                     cl::sub(asCommand));
cl::opt<bool> asJson("json", cl::desc("print JSON"), cl::sub(infoCommand));

int fail(const Twine &message) {
  WithColor::error(errs(), "tilewright") << message << '\n';
  return 1;
}

// Diagnostics say themselves where they are from.
int failWith(Error error) {
  std::string text = toString(std::move(error));
  if (!StringRef(text).contains(": error: "))
    return fail(text);
  errs() << StringRef(text).rtrim() << '\n';
  return 1;
}

// A kernel in a Python file needs Python, and so do files of arrays.
int delegateToPython(int argc, char **argv, StringRef what) {
  auto python = sys::findProgramByName("python3");
  if (!python)
    return fail("python3 is not in PATH, expected it for " + what);
  SmallVector<StringRef> arguments = {*python, "-m", "tilewright"};
  arguments.append(argv + 1, argv + argc);
  return sys::ExecuteAndWait(*python, arguments);
}

int write(StringRef bytes, StringRef path) {
  std::error_code code;
  raw_fd_ostream os(path, code);
  if (code)
    return fail("cannot write " + path + ": " + code.message());
  os << bytes;
  return 0;
}

// Hands a file to `work` and what comes out to `finish`.
int process(
    StringRef path, function_ref<Expected<std::string>(const TileIrFile &)> work,
    function_ref<int(StringRef)> finish = [](StringRef bytes) { return write(bytes, output); }) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return fail("cannot read " + path + ": " + buffer.getError().message());
  auto result = work({(*buffer)->getBuffer(), path == "-" ? "<stdin>" : path});
  return result ? finish(*result) : failWith(result.takeError());
}

// An object or a library and, beside it, its C header.
int writeCode(StringRef object, StringRef header, bool link) {
  if (!link) {
    if (int status = write(object, output); status || output == "-")
      return status;
  } else if (Error error = linkSharedLibrary(ArrayRef(object.data(), object.size()), output)) {
    return fail(toString(std::move(error)));
  }
  SmallString<128> path(output);
  if (sys::path::extension(path).empty()) // a device such as /dev/null
    return 0;
  sys::path::replace_extension(path, "h");
  return write(header, path);
}

// Milliseconds that compiling may take.
Expected<std::chrono::milliseconds> readTimeLimit() {
  double seconds = timeLimit;
  const char *chosen = std::getenv("TILEWRIGHT_TIME_LIMIT");
  bool isNumber = timeLimit.getNumOccurrences() || !chosen || !*chosen || to_float(chosen, seconds);
  if (!(isNumber && seconds >= 0 && seconds <= 1e6))
    return createStringError("found a time limit of " +
                             (timeLimit.getNumOccurrences() ? std::to_string(seconds) : chosen) +
                             ", expected seconds from 0 to 1e6");
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

Expected<PipelineOptions> optionsOfTargets() {
  PipelineOptions options;
  options.codeGen.optLevel = optLevel;
  options.nvidia.debugInfo = deviceDebug ? nvidia::DebugInfo::Full
                             : lineInfo  ? nvidia::DebugInfo::Lines
                                         : nvidia::DebugInfo::None;
  options.nvidia.assemblers.path = assembler;
  options.nvidia.switches = nvidia::Switches::fromEnvironment();
  options.nvidia.abi = nvidia::launchAbiFromEnvironment();
  auto libdevice = nvidia::libdeviceFromEnvironment({});
  if (!libdevice)
    return libdevice.takeError();
  options.libdevice = std::move(*libdevice);
  return options;
}

int explainFile() {
  auto aim = parseTarget(target);
  if (!aim)
    return fail(toString(aim.takeError()));
  auto options = optionsOfTargets();
  if (!options)
    return fail(toString(options.takeError()));
  PipelineReport report;
  return process(input, [&](const TileIrFile &file) {
    auto text = explain(file.bytes, file.name, *aim, *options, report);
    errs() << report.remarks;
    return text;
  });
}

int compile() {
  auto aim = parseTarget(target);
  if (!aim)
    return fail(toString(aim.takeError()));
  auto level = emit.empty() ? Expected<Level>((*aim)->codeLevel()) : (*aim)->parseLevel(emit);
  if (!level)
    return fail(toString(level.takeError()));
  bool link = *level == Level::So;
  if (link && output == "-")
    return fail("a shared library cannot go to the terminal, give -o FILE");
  auto time = readTimeLimit();
  if (!time)
    return fail(toString(time.takeError()));

  auto chosen = optionsOfTargets();
  if (!chosen)
    return fail(toString(chosen.takeError()));
  PipelineOptions &options = *chosen;
  if (!plan.empty()) {
    auto text = MemoryBuffer::getFile(plan, /*IsText=*/true);
    if (!text)
      return fail("cannot read " + plan + ": " + text.getError().message());
    options.plan = (*text)->getBuffer();
    options.planName = plan;
  }
  options.dumpAfter.assign(dumpAfter.begin(), dumpAfter.end());
  options.printBeforeAll = printBeforeAll;
  options.wantsRemarks = remarks;
  options.timing = timing;
  options.limits.time = *time;
  options.failIn = failIn;
  if (asChild) {
    beChild();
    options.limits.interrupted = wasAskedToStop;
    options.keepFailures = false;
  }
  PipelineReport report;
  auto work = [&](const TileIrFile &file) {
    auto result = compileTo(*level, file.bytes, file.name, *aim, options, report);
    errs() << report.dumps << report.remarks << report.timing;
    printRemarks(report.optimizations, errs());
    if (resources)
      errs() << nvidia::describeResources(report.cubin.kernels);
    return result;
  };
  auto finish = [&](StringRef code) {
    return report.header.empty() ? write(code, output) : writeCode(code, report.header, link);
  };
  return process(input, work, finish);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (argc > 1 && is_contained({"run", "debug"}, StringRef(argv[1])))
    return delegateToPython(argc, argv, "'tilewright " + Twine(argv[1]).str() + "'");
  cl::ParseCommandLineOptions(argc, argv, "Tilewright, a tile compiler\n");
  if ((compileCommand || explainCommand) && StringRef(input).rsplit(':').first.ends_with(".py"))
    return delegateToPython(argc, argv, input);
  if (compileCommand)
    return compile();
  if (explainCommand)
    return explainFile();
  if (disCommand)
    return process(tileIr, [](const TileIrFile &file) { return disassemble(file, {debugInfo}); });
  if (asCommand)
    return process(tileIr, [](const TileIrFile &file) { return assemble(file, bytecodeVersion); });
  if (infoCommand)
    return process(tileIr, [](const TileIrFile &file) { return describeFile(file, asJson); });
  return fail("no command given, expected compile, explain, run, debug, dis, as or info, as in: tilewright compile IN "
              "--emit=LEVEL -o OUT");
}
