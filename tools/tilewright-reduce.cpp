// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a module small that shows something; docs/testing.md.
#include "fuzz/programs/Child.h"
#include "fuzz/programs/Reducer.h"
#include "mlir/IR/MLIRContext.h"
#include "pipeline/TileIrFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::programs;

namespace {

cl::OptionCategory category("Options of tilewright-reduce");
cl::opt<std::string> input(cl::Positional, cl::desc("<module: text or bytecode>"), cl::Required, cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Where to write the small module (default: standard output)"), cl::init("-"),
                            cl::cat(category));
cl::opt<std::string> test("test",
                          cl::desc("Command that gets a module's file as last argument and ends with status 0 if it "
                                   "shows what is wanted"),
                          cl::cat(category));
cl::opt<bool> disagrees("mismatch",
                        cl::desc("A program with its launch, as tilewright-programs writes them, whose ways "
                                 "to run it disagree or fail"),
                        cl::cat(category));
cl::opt<std::string> contains("contains", cl::desc("With --mismatch: what the report has to contain"),
                              cl::cat(category));
cl::list<std::string> ways("ways", cl::CommaSeparated,
                           cl::desc("With --mismatch: how to run it (default checked,cpu/O0,cpu/O3)"),
                           cl::cat(category));
cl::opt<unsigned> seconds("seconds", cl::desc("What runs longer hangs (default 20)"), cl::init(20), cl::cat(category));

int fail(const Twine &message) {
  errs() << "error: " << message << '\n';
  return EXIT_FAILURE;
}

// In the form that was given; a launch goes with text alone.
std::string print(Program &program, bool asBytecode) {
  if (!asBytecode && !program.launch.parameters.empty())
    return printProgram(program);
  std::string bytes;
  raw_string_ostream os(bytes);
  auto module = cast<cuda_tile::ModuleOp>(program.module->getBody()->front());
  if (!asBytecode)
    os << module << '\n';
  else if (failed(writeTileIr(module, {}, os)))
    bytes.clear();
  return bytes;
}

bool showsByCommand(Program &program, bool asBytecode) {
  SmallString<128> path;
  int file;
  if (sys::fs::createTemporaryFile("reduce", asBytecode ? "tilebc" : "mlir", file, path))
    return false;
  scope_exit remove([&] { sys::fs::remove(path); });
  {
    raw_fd_ostream os(file, /*shouldClose=*/true);
    os << print(program, asBytecode);
  }
  auto shell = sys::findProgramByName("sh");
  std::string command = test + " '" + path.str().str() + "'";
  std::optional<StringRef> nowhere[] = {StringRef(), StringRef(), StringRef()};
  return shell && sys::ExecuteAndWait(*shell, {"sh", "-c", command}, std::nullopt, nowhere, seconds) == 0;
}

Report runProgram(Program &program, ArrayRef<Way> chosen) {
  return runInChild([&] { return compare({printProgram(program), program.launch}, chosen); }, seconds);
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Makes a module small that shows something\n");
  if (disagrees == !test.empty())
    return fail("expected either --test=COMMAND or --mismatch");
  auto buffer = MemoryBuffer::getFile(input);
  if (!buffer)
    return fail("cannot read '" + input + "': " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  bool asBytecode = cuda_tile::isBytecode(bytes);

  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Program program;
  context.loadDialect<cuda_tile::CudaTileDialect>();
  program.module = readTileIr({bytes, input}, &context);
  if (!program.module)
    return EXIT_FAILURE; // the reader has said why
  if (!asBytecode) {
    auto launch = parseLaunch(bytes);
    if (launch)
      program.launch = std::move(*launch);
    else if (disagrees)
      return fail(input + ": " + toString(launch.takeError()));
    else
      consumeError(launch.takeError());
  } else if (disagrees) {
    return fail("expected text with its launch for --mismatch, got bytecode");
  }

  auto chosen = parseWays(ways);
  if (!chosen)
    return fail(toString(chosen.takeError()));
  auto isInteresting = [&](Program &candidate) {
    if (!disagrees)
      return showsByCommand(candidate, asBytecode);
    Report report = runProgram(candidate, *chosen);
    return report.verdict == Verdict::Mismatch && StringRef(report.text).contains(contains);
  };
  if (!isInteresting(program))
    return fail(disagrees ? Twine("the program does not show it: ") + runProgram(program, *chosen).text
                          : "the command does not end with status 0 for the whole module");
  ReduceStatistics statistics = reduceProgram(program, isInteresting);

  std::error_code code;
  ToolOutputFile file(output, code, sys::fs::OF_None);
  if (code)
    return fail("cannot write '" + output + "': " + code.message());
  if (disagrees) {
    std::string report = runProgram(program, *chosen).text;
    for (StringRef line : split(StringRef(report).rtrim(), '\n'))
      file.os() << "// " << line << '\n';
  }
  file.os() << print(program, asBytecode);
  file.keep();
  errs() << statistics.accepted << " of " << statistics.tried << " steps taken\n";
  return EXIT_SUCCESS;
}
