// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_EVALUATE_REFUSAL_H
#define TILEWRIGHT_CPP_EVALUATE_REFUSAL_H

namespace tilewright::cpp {

/// A kernel has something that tile code may not have. The diagnostic has been reported; the kernel is left. Thrown and
/// caught in this folder: no frame of Clang or MLIR lies between.
struct Refusal {};

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_EVALUATE_REFUSAL_H
