// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's fatal errors as diagnostics: its default handler would end the process.
#ifndef TILEWRIGHT_SUPPORT_LLVMERRORS_H
#define TILEWRIGHT_SUPPORT_LLVMERRORS_H

#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class LLVMContext;
} // namespace llvm

namespace tilewright {

// Takes the errors of a context as long as it lives.
class LlvmErrors {
public:
  explicit LlvmErrors(llvm::LLVMContext &context);
  ~LlvmErrors();

  llvm::Error take() const;

private:
  llvm::LLVMContext &context;
  std::string text;
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_LLVMERRORS_H
