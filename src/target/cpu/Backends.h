// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TARGET_CPU_BACKENDS_H
#define TILEWRIGHT_TARGET_CPU_BACKENDS_H

namespace tilewright {

/// Registers LLVM's back ends for x86 and aarch64, their assemblers and the printers of their instructions, once in a
/// process.
void initializeBackends();

} // namespace tilewright

#endif
