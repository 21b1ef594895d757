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
  // Operations that a launch may execute; 0: no limit.
  int64_t stepLimit = 0;
  // Receives the kernel's output as it is printed; without it, the output is in the result.
  std::function<void(llvm::StringRef)> print;
  // Called periodically; an error ends the launch, as after Ctrl-C.
  std::function<llvm::Error()> poll;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_OPTIONS_H
