// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command `tilewright`. Modules are compiled here; kernels in Python files by `python3 -m tilewright`, which takes
// the same options.
#include "pipeline/Pipeline.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
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
cl::opt<std::string> input(cl::Positional, cl::desc("<module.mlir, - or file.py:kernel>"), cl::Required,
                           cl::sub(compileCommand));
cl::opt<std::string> target("target", cl::desc("cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3 or cpu:x86-64-v4"),
                            cl::init("cpu"), cl::sub(compileCommand));
cl::opt<std::string> emit("emit", cl::desc("cuda_tile, tileaa, linalg, plan, llvm, asm, obj or so"), cl::init("obj"),
                          cl::sub(compileCommand));
cl::opt<std::string> output("o", cl::desc("output file, - for the terminal"), cl::init("-"), cl::sub(compileCommand));
cl::opt<std::string> signature("signature",
                               cl::desc("argument types of a Python kernel, as in 'float32[:,::1], int32, 128'"),
                               cl::sub(compileCommand));
cl::opt<std::string> plan("plan", cl::desc("file that decides otherwise, as --emit=plan prints it"),
                          cl::sub(compileCommand));
cl::list<std::string> dumpAfter("dump-after", cl::desc("print the module after this pass, or after all"),
                                cl::CommaSeparated, cl::sub(compileCommand));
cl::opt<bool> printBeforeAll("print-before-all", cl::desc("print the module before every pass"),
                             cl::sub(compileCommand));
cl::opt<std::string> crashIn("crash-in", cl::desc("crash in this pass"), cl::Hidden, cl::sub(compileCommand));
cl::opt<bool> timing("timing", cl::desc("print where the time went"), cl::sub(compileCommand));
cl::opt<unsigned> optLevel("opt-level", cl::desc("level of LLVM's optimizer, 0 to 3"), cl::init(1),
                           cl::sub(compileCommand));

int fail(const Twine &message) {
  WithColor::error(errs(), "tilewright") << message << '\n';
  return 1;
}

// A kernel in a Python file needs the interpreter.
int delegateToPython(int argc, char **argv) {
  auto python = sys::findProgramByName("python3");
  if (!python)
    return fail("python3 is not in PATH, expected it for " + input);
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

int compile() {
  std::optional<Level> level = levelByName(emit);
  if (!level) {
    std::string names;
    for (const LevelInfo &info : levels())
      names += (names.empty() ? "" : ", ") + info.name.str();
    return fail("unknown level '" + emit + "', expected one of " + names);
  }
  auto machine = parseMachine(target);
  if (!machine)
    return fail(toString(machine.takeError()));
  auto buffer = MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer)
    return fail("cannot read " + input + ": " + buffer.getError().message());

  PipelineOptions options;
  if (!plan.empty()) {
    auto text = MemoryBuffer::getFile(plan, /*IsText=*/true);
    if (!text)
      return fail("cannot read " + plan + ": " + text.getError().message());
    options.plan = (*text)->getBuffer();
    options.planName = plan;
  }
  options.codeGen.optLevel = optLevel;
  options.dumpAfter.assign(dumpAfter.begin(), dumpAfter.end());
  options.printBeforeAll = printBeforeAll;
  options.timing = timing;
  options.crashIn = crashIn;
  PipelineReport report;
  auto result = compileTo(*level, (*buffer)->getBuffer(), input, *machine, options, report);
  errs() << report.dumps << report.remarks << report.timing;
  if (!result) {
    errs() << toString(result.takeError()) << '\n';
    return 1;
  }
  if (*level != Level::So)
    return write(*result, output);
  if (output == "-")
    return fail("a shared library cannot go to the terminal, give -o FILE");
  if (Error error = linkSharedLibrary(*result, output))
    return fail(toString(std::move(error)));
  SmallString<128> header(output);
  sys::path::replace_extension(header, "h");
  return write(report.header, header);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Tilewright, a tile compiler\n");
  if (!compileCommand)
    return fail("no command given, expected: tilewright compile IN --target cpu --emit=LEVEL -o OUT");
  if (StringRef(input).rsplit(':').first.ends_with(".py"))
    return delegateToPython(argc, argv);
  return compile();
}
