// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Guard.h"
#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"
#include <csignal>

using namespace tilewright;

TEST(Guard, aResultPassesThrough) {
  EXPECT_FALSE(bool(runGuarded([] { return llvm::Error::success(); })));
  EXPECT_EQ(llvm::toString(runGuarded([] { return llvm::createStringError("no such level"); })), "no such level");
}

TEST(Guard, aFatalErrorBecomesAnError) {
  llvm::Error error = runGuarded([]() -> llvm::Error { llvm::report_fatal_error("cannot select"); });
  EXPECT_EQ(llvm::toString(std::move(error)), "the compiler failed: cannot select");
}

TEST(Guard, aCrashBecomesAnErrorAndTheProcessGoesOn) {
  for (int time = 0; time < 2; ++time) {
    llvm::Error error = runGuarded([]() -> llvm::Error {
      std::raise(SIGSEGV);
      return llvm::Error::success();
    });
    EXPECT_EQ(llvm::toString(std::move(error)), "the compiler crashed (signal 11), please report the module as a bug");
  }
}
