// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's library of functions for GPUs as bitcode, where a toolkit or a Python package has it. Nothing of it is part
// of this compiler; kernels compiled with TILEWRIGHT_MATH=libdevice-bits get its functions of f32, and with them the
// bits that other programs for GPUs see.
#ifndef TILEWRIGHT_TARGET_NVIDIA_LIBDEVICE_H
#define TILEWRIGHT_TARGET_NVIDIA_LIBDEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::nvidia {

// The bitcode that the option `math` asks for: nothing for `own`, an error for `libdevice-bits` where there is none.
// `packages` are folders that Python packages are in (sys.path).
llvm::Expected<std::string> findLibdevice(llvm::StringRef math, llvm::ArrayRef<std::string> packages);

// Changes with the file, for cache keys: its path, size and date. Nothing for no path.
std::string identifyLibdevice(llvm::StringRef path);

// Links the functions `__nv_...` that the module calls, with internal linkage. On a target that is no
// GPU what they are made of is replaced by operations of equal results; an error names what has none.
llvm::Error linkLibdevice(llvm::Module &module, llvm::StringRef path);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_LIBDEVICE_H
