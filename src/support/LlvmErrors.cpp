// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LlvmErrors.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {

LlvmErrors::LlvmErrors(LLVMContext &context) : context(context) {
  context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *self) {
        if (info->getSeverity() != DS_Error)
          return;
        raw_string_ostream os(static_cast<LlvmErrors *>(self)->text);
        DiagnosticPrinterRawOStream printer(os);
        info->print(printer);
      },
      this);
}

LlvmErrors::~LlvmErrors() {
  context.setDiagnosticHandlerCallBack(nullptr, nullptr);
}

Error LlvmErrors::take() const {
  return text.empty() ? Error::success() : createStringError("code generation failed: " + text);
}

} // namespace tilewright
