// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs passes by name on a module: the tool of the lit tests.
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "pipeline/Pipeline.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerPipelineDialects(registry);
  tilewright::registerPipelinePasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewright pass driver\n", registry));
}
