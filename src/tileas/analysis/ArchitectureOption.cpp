// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/ArchitectureOption.h"

using namespace tilewright;

const nvidia::Architecture *tileas::architectureOf(llvm::StringRef option, mlir::Operation *op) {
  auto architecture = nvidia::parseArchitecture(option);
  if (architecture)
    return *architecture;
  op->emitError() << llvm::toString(architecture.takeError());
  return nullptr;
}
