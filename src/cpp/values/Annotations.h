// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The marks that cuda_tile.h puts on declarations.
#ifndef TILEWRIGHT_CPP_VALUES_ANNOTATIONS_H
#define TILEWRIGHT_CPP_VALUES_ANNOTATIONS_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// Whether a declaration has the mark "tilewright.NAME".
bool isAnnotated(const clang::Decl *decl, llvm::StringRef name);

inline bool isKernel(const clang::Decl *decl) {
  return isAnnotated(decl, "kernel");
}
/// An operation that the front end builds, called as the function is.
inline bool isOperation(const clang::Decl *decl) {
  return isAnnotated(decl, "op");
}

/// "tile", "f16", ...: the class has objects of one value of that kind. Empty for other types.
llvm::StringRef valueKind(clang::QualType type);

/// The class cuda::tiles::irange.
bool isRange(clang::QualType type);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_VALUES_ANNOTATIONS_H
