// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR before each pass of LLVM's optimizer. LLVM prints by options of its command line and to stderr, which many
// compilations share in one process; this goes to a stream of one compilation.
#ifndef TILEWRIGHT_TARGET_LLVM_PRINTLLVMPASSES_H
#define TILEWRIGHT_TARGET_LLVM_PRINTLLVMPASSES_H

namespace llvm {
class PassInstrumentationCallbacks;
class raw_ostream;
} // namespace llvm

namespace tilewright {

// Registers a printer of the module, function or loop that a pass is about to run on. Pass managers and adaptors, which
// change nothing themselves, are left out. Does nothing where `os` is null.
void printBeforeLlvmPasses(llvm::PassInstrumentationCallbacks &callbacks, llvm::raw_ostream *os);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_LLVM_PRINTLLVMPASSES_H
