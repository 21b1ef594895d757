// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs passes by name on a module, text or bytecode: the tool of the lit tests.
#include "cuda_tile/bytecode/Bytecode.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"
#include "support/ModuleText.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

static int fail(llvm::StringRef message) {
  llvm::errs() << "error: " << message << '\n';
  return EXIT_FAILURE;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tilewright::registerPipelineDialects(registry);
  tilewright::registerPipelinePasses();
  tilewright::registerPipelines();
  auto [inputName, outputName] = mlir::registerAndParseCLIOptions(argc, argv, "Tilewright pass driver\n", registry);

  std::string error;
  auto input = mlir::openInputFile(inputName, &error);
  if (!input)
    return fail(error);
  // The driver of upstream takes text.
  if (tilewright::cuda_tile::isBytecode(input->getBuffer())) {
    auto printed = tilewright::disassemble({input->getBuffer(), inputName}, {/*debugInfo=*/true});
    if (!printed) {
      llvm::errs() << llvm::toString(printed.takeError());
      return EXIT_FAILURE;
    }
    input = llvm::MemoryBuffer::getMemBufferCopy(*printed, inputName);
  }
  llvm::StringRef text = input->getBuffer();
  if (auto problem = tilewright::findProblem(text)) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(input), {});
    sources.PrintMessage(llvm::SMLoc::getFromPointer(text.data() + problem->at), llvm::SourceMgr::DK_Error,
                         problem->message);
    return EXIT_FAILURE;
  }
  auto output = mlir::openOutputFile(outputName, &error);
  if (!output)
    return fail(error);
  mlir::LogicalResult result =
      mlir::MlirOptMain(output->os(), std::move(input), registry, mlir::MlirOptMainConfig::createFromCLOptions());
  if (succeeded(result))
    output->keep();
  return mlir::asMainReturnCode(result);
}
