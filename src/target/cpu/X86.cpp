// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/cpu/X86.h"

#include "llvm/Support/TargetSelect.h"
#include <mutex>

void tilewright::initializeX86() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
}
