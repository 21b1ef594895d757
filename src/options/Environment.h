// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment variables of the table of options. All of them are checked once, before something is compiled or
// launched; where one is used, a value that is not legal reads as if the variable were not set.
#ifndef TILEWRIGHT_OPTIONS_ENVIRONMENT_H
#define TILEWRIGHT_OPTIONS_ENVIRONMENT_H

#include "options/Option.h"

namespace tilewright {

/// An error for the first variable whose value is not legal, even if it is unused.
llvm::Error checkEnvironment();

/// Whether it is set, or the one of cuda.tile that says the same.
bool isSetInEnvironment(llvm::StringRef variable);

/// Its value, or that of the one of cuda.tile, or the initial one.
llvm::Expected<Value> readEnvironment(llvm::StringRef variable);

/// Likewise, of a variable of that kind; false, 0 and empty if it has no initial value.
bool environmentFlag(llvm::StringRef variable);
int64_t environmentNumber(llvm::StringRef variable);
std::string environmentText(llvm::StringRef variable);

} // namespace tilewright

#endif // TILEWRIGHT_OPTIONS_ENVIRONMENT_H
