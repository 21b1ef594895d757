// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Guard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include <mutex>
#include <string>

using namespace llvm;

namespace tilewright {
namespace {

// Instruction selection recurses over long chains of operations.
constexpr unsigned stackBytes = 64u << 20;

// The message of the fatal error that the guarded body of this thread ran into; null outside a body.
thread_local std::string *fatalMessage = nullptr;

void onFatalError(void *, const char *reason, bool) {
  CrashRecoveryContext *recovery = CrashRecoveryContext::GetCurrent();
  if (!fatalMessage || !recovery)
    return; // not ours: LLVM goes on to end the process
  *fatalMessage = reason;
  recovery->HandleExit(1);
}

// Signal handlers belong to the host program; they are ours only while a guarded body runs on some thread.
class RecoveryEnabled {
public:
  RecoveryEnabled() {
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0)
      CrashRecoveryContext::Enable();
  }
  ~RecoveryEnabled() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0)
      CrashRecoveryContext::Disable();
  }

private:
  inline static std::mutex mutex;
  inline static unsigned users = 0;
};

} // namespace

Error runGuarded(function_ref<Error()> body) {
  static std::once_flag installed;
  std::call_once(installed, [] { install_fatal_error_handler(onFatalError); });

  RecoveryEnabled enabled;
  std::string fatal;
  Error result = Error::success();
  (void)!!result;
  CrashRecoveryContext recovery;
  bool finished = recovery.RunSafelyOnThread(
      [&] {
        fatalMessage = &fatal;
        result = body();
        fatalMessage = nullptr;
      },
      stackBytes);
  if (finished)
    return result;
  consumeError(std::move(result));
  if (!fatal.empty())
    return createStringError("the compiler failed: " + fatal);
  return createStringError("the compiler crashed (signal " + std::to_string(recovery.RetCode - 128) +
                           "), please report the module as a bug");
}

} // namespace tilewright
