// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and writes Tile IR bytecode as it is, without compiling: the tool of the lit tests.
#include "cuda_tile/bytecode/Bytecode.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "support/ModuleText.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

static llvm::cl::opt<std::string> version("bytecode-version", llvm::cl::desc("version of --mlir-to-tilebc"),
                                          llvm::cl::init("13.4"));

static LogicalResult write(const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os, MLIRContext *context) {
  context->loadDialect<CudaTileDialect>();
  OwningOpRef<mlir::ModuleOp> op =
      tilewright::parseModuleText(*sources->getMemoryBuffer(sources->getMainFileID()), context);
  if (!op) {
    return failure();
  }
  std::optional<BytecodeVersion> known = BytecodeVersion::parse(version);
  if (!known) {
    return op->emitError() << "expected a bytecode version of " << listSupportedVersions() << ", got '" << version
                           << "'";
  }
  for (auto module : op->getOps<tilewright::cuda_tile::ModuleOp>()) {
    return writeBytecode(module, *known, os);
  }
  return op->emitError("expected a cuda_tile.module, got none");
}

int main(int argc, char **argv) {
  TranslateToMLIRRegistration toMlir("tilebc-to-mlir", "Tile IR bytecode to text",
                                     [](llvm::SourceMgr &sources, MLIRContext *context) -> OwningOpRef<Operation *> {
                                       auto bytes = sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef();
                                       return readBytecode(bytes, context).release().getOperation();
                                     });
  TranslateRegistration fromMlir("mlir-to-tilebc", "text to Tile IR bytecode", write);
  return failed(mlirTranslateMain(argc, argv, "Tile IR bytecode translator"));
}
