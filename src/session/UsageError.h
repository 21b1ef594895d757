// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_USAGEERROR_H
#define TILEWRIGHT_SESSION_USAGEERROR_H

#include "llvm/Support/Error.h"

namespace tilewright::session {

/// The caller named a target, an option or an entry that is not there.
class UsageError : public llvm::ErrorInfo<UsageError> {
public:
  static char ID;
  explicit UsageError(std::string text) : text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string text;
};

llvm::Error usageError(const llvm::Twine &text);

/// The value, or its error as one of usage.
template <typename T> llvm::Expected<T> asUsage(llvm::Expected<T> value) {
  if (value)
    return value;
  return usageError(llvm::toString(value.takeError()));
}

} // namespace tilewright::session

#endif
