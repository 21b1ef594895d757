// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that end a process by default, turned into a jump for the threads that ask for it.
//
// Signal handlers belong to the host program (a Python interpreter, PyTorch). Ours are installed only while
// CrashSignals is held; a crash of any other thread goes to the handler that was there before.
#ifndef TILEWRIGHT_SUPPORT_CRASHSIGNALS_H
#define TILEWRIGHT_SUPPORT_CRASHSIGNALS_H

#include <csetjmp>
#include <csignal>
#include <pthread.h>

namespace tilewright {

// The point at which a thread continues after a signal. Objects on the stack in between are not destroyed.
//   RecoveryPoint point(onSignal);
//   RecoveryScope scope(point);
//   if (!sigsetjmp(point.buffer, 0)) work(); else ... // onSignal called siglongjmp
struct RecoveryPoint {
  // Runs as a signal handler on the thread's alternate stack, if it has one. Returns to let the signal pass (the
  // handler before ours gets it, or the process ends), or jumps.
  using Handler = void (*)(RecoveryPoint &, int signal, const siginfo_t &, void *context);

  explicit RecoveryPoint(Handler handler) : handler(handler) {}

  Handler handler;
  sigjmp_buf buffer{};

  // The point of this thread, if it has one.
  static RecoveryPoint *current();
};

class RecoveryScope {
public:
  explicit RecoveryScope(RecoveryPoint &point);
  ~RecoveryScope();
  RecoveryScope(const RecoveryScope &) = delete;
  RecoveryScope &operator=(const RecoveryScope &) = delete;

private:
  RecoveryPoint *before;
};

// Our handlers are in place while one of these lives.
class CrashSignals {
public:
  CrashSignals();
  ~CrashSignals();
  CrashSignals(const CrashSignals &) = delete;
  CrashSignals &operator=(const CrashSignals &) = delete;

  // Calls the thread's handler with signal 0, on that thread, soon. For threads with a RecoveryPoint.
  static void poke(pthread_t thread);
};

// A stack that handlers of this thread run on, so that they have one where the thread's own is exhausted. It is no part
// of the heap, which may be locked when it goes.
class AlternateStack {
public:
  AlternateStack();
  ~AlternateStack();
  AlternateStack(const AlternateStack &) = delete;
  AlternateStack &operator=(const AlternateStack &) = delete;

private:
  static constexpr size_t bytes = 64 << 10;
  void *memory = nullptr; // none where the thread had such a stack already
};

// The registers in a handler's context.
const void *programCounter(const void *context);
const void *stackPointer(const void *context);

// True for code of LLVM, MLIR and this library. A thread that is there holds no lock of the C library: it may be
// stopped for good without the others ever waiting for it.
bool isCompilerCode(const void *address);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_CRASHSIGNALS_H
