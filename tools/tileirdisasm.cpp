// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the place of NVIDIA's tool of the same name: the options, exit statuses and text are that tool's.
#include "PreviewOption.h"
#include "cuda_tile/bytecode/Bytecode.h"
#include "pipeline/TileIrFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {

enum ExitStatus { NoInput = 2, BadInput = 3 };

cl::OptionCategory category("TileIR Disassembler Options");
cl::opt<std::string> input(cl::Positional, cl::desc("<tile bytecode file>"), cl::cat(category));
cl::opt<bool> debugInfo("print-debug-info", cl::desc("Annotate disassembly with debugging information, if present."),
                        cl::cat(category));
cl::alias debugInfoAlias("g", cl::desc("Alias for --print-debug-info"), cl::aliasopt(debugInfo), cl::NotHidden,
                         cl::cat(category));
PreviewOption preview(category);

void printVersion(raw_ostream &os) {
  os << "tileirdisasm: Tilewright Tile IR disassembler\n";
}

int fail(const Twine &message, ExitStatus status) {
  errs() << "error: " << message << '\n';
  return status;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::SetVersionPrinter(printVersion);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "tileirdisasm: Tilewright Tile IR disassembler\n");
  if (input.empty()) {
    cl::PrintHelpMessage();
    return fail("no input file provided\n", NoInput);
  }
  auto buffer = MemoryBuffer::getFile(input, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("unable to read input file '" + input + "': " + buffer.getError().message() + "\n", NoInput);
  StringRef bytes = (*buffer)->getBuffer();
  if (!cuda_tile::isBytecode(bytes))
    return fail("input does not correspond to Tile IR bytecode", BadInput);
  auto text = disassemble({bytes, input}, {debugInfo, /*moduleLines=*/false});
  if (!text) {
    errs() << toString(text.takeError());
    return BadInput;
  }
  outs() << *text;
  return 0;
}
