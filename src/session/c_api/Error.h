// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the C interface: a refused argument, an llvm::Error or an exception ends a function of it as a
// tilewright_error.
#ifndef TILEWRIGHT_SESSION_C_API_ERROR_H
#define TILEWRIGHT_SESSION_C_API_ERROR_H

#include "tilewright.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

struct tilewright_error {
  tilewright_status status;
  std::string message;
};

namespace tilewright::c_api {

tilewright_error *makeError(tilewright_status status, const llvm::Twine &message);
tilewright_error *badArgument(const llvm::Twine &message);

/// An error whose class says nothing is about the module, or `otherwise`.
tilewright_error *convert(llvm::Error error, tilewright_status otherwise = TILEWRIGHT_BAD_MODULE);

/// Of the exception that is being handled. There is always one to give, also without memory.
tilewright_error *errorOfException() noexcept;

/// The body of a function of the interface: exceptions become errors, since callers in C cannot catch them.
template <typename Body> tilewright_error *guarded(Body body) noexcept {
  try {
    return body();
  } catch (...) {
    return errorOfException();
  }
}

} // namespace tilewright::c_api

#endif
