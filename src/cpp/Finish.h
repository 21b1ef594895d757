// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_FINISH_H
#define TILEWRIGHT_CPP_FINISH_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// Orders the accesses of memory as the program has them, by tokens: those through a parameter of `distinct` among
/// themselves, and those through all others and of global variables. With `contracts` a product whose only use is a sum
/// becomes part of it.
void finishEntry(cuda_tile::EntryOp entry, llvm::ArrayRef<int64_t> distinct, bool contracts);

/// Removes operations that are there twice, or that nothing uses.
mlir::LogicalResult simplify(mlir::ModuleOp module);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_FINISH_H
