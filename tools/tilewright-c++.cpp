// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler of programs in CUDA Tile C++. Its own options are those below; all others are Clang's.
#include "cpp/host/Program.h"
#include "cuda_tile/ir/CudaTile.h"
#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"
#include "session/Settings.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;
using cpp::Command;

namespace {

constexpr char usage[] = R"(usage: tilewright-c++ [options] FILE...

Compiles and links programs in C++ with kernels in CUDA Tile C++, or only their kernels.

  --tile-targets=LIST  targets of the kernels of a program, as cpu,sm_90,sm_120; cpu (default) is this machine,
                       cpu:x86-64-v3 any of that level, tilebc makes code when the program runs
  -c, -o FILE          as compilers have them
  --emit=LEVEL         only the kernels: cuda_tile, tilebc, or a level of the target, as tileaa, plan, asm or ptx;
                       on the terminal without -o
  --target=TARGET      of the level: cpu (default), cpu:x86-64-v3, nvidia:sm_90, ...
  --kernel=INSTANCE    an instance of a kernel that is a template, as "add<float, 1024>", instead of those that the
                       source launches; may be given several times
  -ffp-contract=off    keep products and sums of kernels apart
  -Rtile               tell the decisions about the kernels of a program
  -fsyntax-only        only check the kernels

All other options are Clang's, such as -I, -D, -O2, -g, -MD, -MJ and -l.
)";

int fail(Error error) {
  std::string message = toString(std::move(error));
  if (!StringRef(message).trim().empty())
    WithColor::error(errs(), "tilewright-c++") << message << '\n';
  return 1;
}

Expected<std::string> lower(const Command &command, cuda_tile::ModuleOp module) {
  std::string result;
  raw_string_ostream os(result);
  if (command.emit == "cuda_tile") {
    module->print(os);
    return result + "\n";
  }
  if (failed(writeTileIr(module, cuda_tile::BytecodeVersion(), os)))
    return createStringError("the module has no bytecode");
  if (command.emit == "tilebc")
    return result;
  auto target = parseTarget(command.target);
  if (!target)
    return target.takeError();
  auto level = (*target)->parseLevel(command.emit);
  if (!level)
    return level.takeError();
  auto settings = session::Settings::fromEnvironment();
  if (!settings)
    return settings.takeError();
  settings->pipeline.isolation = Isolation::Never;
  auto options = settings->resolve();
  if (!options)
    return options.takeError();
  PipelineReport report;
  auto code = compileTo(*level, result, command.sources[0], *target, *options, report);
  errs() << report.remarks;
  return code;
}

int emit(Command command) {
  if (command.options.kernels.empty() && !command.options.syntaxOnly) {
    auto launched = cpp::launchedInstances(command);
    if (!launched)
      return fail(launched.takeError());
    command.options.kernels = std::move(*launched);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = cpp::compile(command.sources[0], command.options, &context);
  if (!module)
    return 1;
  if (command.options.syntaxOnly)
    return 0;
  auto code = lower(command, *module->getOps<cuda_tile::ModuleOp>().begin());
  if (!code)
    return fail(code.takeError());
  StringRef output = command.output.empty() ? "-" : StringRef(command.output);
  std::error_code error;
  raw_fd_ostream os(output, error);
  if (error)
    return fail(createStringError("cannot write " + output + ": " + error.message()));
  os << *code;
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  ArrayRef<const char *> arguments(argv + 1, argc - 1);
  if (any_of(arguments, [](StringRef argument) { return argument == "--help" || argument == "-h"; })) {
    outs() << usage;
    return 0;
  }
  auto command = cpp::parseCommand(arguments);
  if (!command)
    return fail(createStringError(toString(command.takeError()) + "; --help lists the options"));
  if (command->isForClang)
    return cpp::runClang(std::vector<std::string>(arguments.begin(), arguments.end()));
  if (!command->emit.empty() || command->options.syntaxOnly)
    return emit(*command);
  Error error = cpp::buildProgram(*command);
  return error ? fail(std::move(error)) : 0;
}
