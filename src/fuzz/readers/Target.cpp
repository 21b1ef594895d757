// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fuzz target: libFuzzer calls this for each input; CMake says which PROPERTY must hold.
#include "fuzz/readers/Properties.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright::cuda_tile;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Making a context takes longer than reading an input; but it keeps every type it has seen.
  static constexpr int inputsPerContext = 500;
  static std::unique_ptr<mlir::MLIRContext> context;
  static int numInputs = 0;
  if (numInputs++ % inputsPerContext == 0) {
    context = makeContextForInputs();
  }
  if (std::optional<std::string> broken = PROPERTY({reinterpret_cast<const char *>(data), size}, *context)) {
    llvm::errs() << "fuzz: " << *broken << '\n';
    std::abort();
  }
  return 0;
}
