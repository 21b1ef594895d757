// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features of Arm's processors as compilers spell them, `sve2+bf16`, and as LLVM's code generator does.
#ifndef TILEWRIGHT_MACHINE_AARCH64FEATURES_H
#define TILEWRIGHT_MACHINE_AARCH64FEATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright {

/// Of a processor of LLVM and more, with all that they imply: "+v8a,+neon,+sve,+sve2".
llvm::Expected<std::string> aarch64Features(llvm::StringRef cpu, llvm::ArrayRef<llvm::StringRef> more);

} // namespace tilewright

#endif // TILEWRIGHT_MACHINE_AARCH64FEATURES_H
