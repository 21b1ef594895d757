// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TARGET_LLVM_DEBUGINFO_H
#define TILEWRIGHT_TARGET_LLVM_DEBUGINFO_H

namespace tilewright {

// Lines: where each instruction is from (.loc), at no cost. Full: for a debugger as well, without optimization; of a
// GPU only.
enum class DebugInfo { None, Lines, Full };

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_LLVM_DEBUGINFO_H
