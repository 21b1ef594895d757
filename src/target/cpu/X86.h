// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TARGET_CPU_X86_H
#define TILEWRIGHT_TARGET_CPU_X86_H

namespace tilewright {

/// Registers LLVM's back end for x86, its assembler and the printer of its instructions, once in a process.
void initializeX86();

} // namespace tilewright

#endif
