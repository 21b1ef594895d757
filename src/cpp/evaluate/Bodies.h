// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about the statements of a body.
#ifndef TILEWRIGHT_CPP_EVALUATE_BODIES_H
#define TILEWRIGHT_CPP_EVALUATE_BODIES_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// Whether a function may return before its last statement.
bool returnsEarly(const clang::Stmt *body);

/// Whether a loop is left from within its body: by `break` or `return`.
bool leavesLoop(const clang::Stmt *body);

/// Whether a body has a `break` or `continue` of its own loop.
bool hasJumps(const clang::Stmt *body);

/// The variables whose objects `stmt` may change, from what it does with their names; and whether it uses `this`.
struct Uses {
  llvm::SetVector<const clang::ValueDecl *> changed, read;
  bool usesThis = false;
};
Uses findUses(const clang::Stmt *stmt);

/// Whether an element of a local array is chosen by that variable.
bool indexesArray(const clang::Stmt *body, const clang::VarDecl *variable);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_EVALUATE_BODIES_H
