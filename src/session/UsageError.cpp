// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/UsageError.h"

using namespace tilewright::session;

char UsageError::ID;

llvm::Error tilewright::session::usageError(const llvm::Twine &text) {
  return llvm::make_error<UsageError>(text.str());
}
