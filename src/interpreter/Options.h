// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_OPTIONS_H
#define TILEWRIGHT_INTERPRETER_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>

namespace tilewright::interpreter {

class Monitor;

struct Options {
  Monitor *monitor = nullptr;
  // Operations that a launch may execute; 0: as many as it takes.
  int64_t stepLimit = 0;
  // Takes what the kernel prints, as it does; without it, it is in the result.
  std::function<void(llvm::StringRef)> print;
  // Called now and then; an error ends the launch. How a user's Ctrl-C arrives.
  std::function<llvm::Error()> poll;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_OPTIONS_H
