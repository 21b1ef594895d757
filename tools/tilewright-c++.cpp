// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler driver of CUDA Tile C++. Its own options are those below; all others are Clang's.
#include "cpp/Compile.h"
#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"
#include "session/Settings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {

constexpr char usage[] = R"(usage: tilewright-c++ [options] FILE

Compiles the kernels of a file in CUDA Tile C++.

  --emit=LEVEL       what to write: cuda_tile (default), tilebc, or a level of the target, as tileaa, asm or ptx
  --target=TARGET    cpu (default), cpu:x86-64-v3, nvidia:sm_90, ...
  --kernel=INSTANCE  an instance of a kernel that is a template, as "add<float, 1024>"; may be given several times
  -ffp-contract=off  keep products and sums apart
  -fsyntax-only      only check the file
  -o FILE            where to write; the terminal without it

All other options are Clang's, such as -I, -D and -std.
)";

struct Command {
  std::string emit = "cuda_tile", target = "cpu", output = "-", input;
  cpp::CompileOptions options;
};

int fail(const Twine &message) {
  WithColor::error(errs(), "tilewright-c++") << message << '\n';
  return 1;
}

// Options of Clang whose value is the next argument.
bool takesValue(StringRef option) {
  return is_contained({"-I", "-D", "-U", "-include", "-isystem", "-iquote", "-x", "-Xclang"}, option);
}

Expected<Command> parse(ArrayRef<const char *> arguments) {
  Command command;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i], value = argument;
    if (value.consume_front("--emit=")) {
      command.emit = value;
    } else if (value.consume_front("--target=")) {
      command.target = value;
    } else if (value.consume_front("--kernel=")) {
      command.options.kernels.push_back(value.str());
    } else if (argument == "-ffp-contract=off") {
      command.options.contracts = false;
    } else if (argument == "-fsyntax-only") {
      command.options.syntaxOnly = true;
    } else if (argument == "-o") {
      if (++i == arguments.size())
        return createStringError("-o has no file behind it");
      command.output = arguments[i];
    } else if (argument.starts_with("-") && argument != "-") {
      command.options.arguments.push_back(argument.str());
      if (takesValue(argument) && i + 1 < arguments.size())
        command.options.arguments.push_back(arguments[++i]);
    } else if (command.input.empty()) {
      command.input = argument;
    } else {
      return createStringError("found the files " + command.input + " and " + argument + ", expected one");
    }
  }
  if (command.input.empty())
    return createStringError("no file given");
  return command;
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
  auto code = compileTo(*level, result, command.input, *target, *options, report);
  errs() << report.remarks;
  return code;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  ArrayRef<const char *> arguments(argv + 1, argc - 1);
  if (any_of(arguments, [](StringRef argument) { return argument == "--help" || argument == "-h"; })) {
    outs() << usage;
    return 0;
  }
  auto command = parse(arguments);
  if (!command)
    return fail(toString(command.takeError()) + "; --help lists the options");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = cpp::compile(command->input, command->options, &context);
  if (!module)
    return 1;
  if (command->options.syntaxOnly)
    return 0;
  auto code = lower(*command, *module->getOps<cuda_tile::ModuleOp>().begin());
  if (!code)
    return fail(toString(code.takeError()));
  std::error_code error;
  raw_fd_ostream os(command->output, error);
  if (error)
    return fail("cannot write " + command->output + ": " + error.message());
  os << *code;
  return 0;
}
