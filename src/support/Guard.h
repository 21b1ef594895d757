// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM ends the process on some legal input (report_fatal_error, a crash or an endless loop in instruction selection).
// A compilation therefore runs on a thread of its own; what went wrong comes back as an Error, and the process goes on.
//
//   the body                                    the caller gets
//   returns                                     what it returned
//   ends in report_fatal_error, a signal,       a GuardFailure, at once
//     an exhausted stack or no memory
//   is not done at the time limit, or the       a GuardFailure; the thread is stopped at the next point where it is in
//     caller is asked to stop (Ctrl-C)            code of the compiler and so holds no lock of the C library
//   cannot be stopped (it waits for something)  the same after 1.5 seconds; the thread is left behind
//   fails within the C library's allocator,     nothing: the process ends with a report, since no memory can be had
//     whose lock the caller needs
//
// After a failure everything the body owned is leaked: its state is not known.
#ifndef TILEWRIGHT_SUPPORT_GUARD_H
#define TILEWRIGHT_SUPPORT_GUARD_H

#include "llvm/Support/Error.h"
#include <chrono>
#include <functional>

namespace tilewright {

struct Limits {
  std::chrono::milliseconds time{0}; // 0: none
  std::function<bool()> interrupted; // asked every 20 ms on the caller's thread; true stops the body
};

// The failure that ended the body before it returned.
class GuardFailure : public llvm::ErrorInfo<GuardFailure> {
public:
  enum class Kind { Fatal, Crash, StackOverflow, OutOfMemory, TimeLimit, Interrupted };
  static char ID;

  GuardFailure(Kind kind, std::string message, std::string where)
      : kind(kind), text(std::move(message)), place(std::move(where)) {}

  Kind getKind() const { return kind; }
  std::string message() const override { return text; }
  // The innermost stage that was active, as in: Running pass 'X86 DAG->DAG Instruction Selection' on function
  // '@kernel'.
  const std::string &where() const { return place; }

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  Kind kind;
  std::string text, place;
};

// With limits, the body must own what it refers to: it may go on for a while when the caller has returned.
llvm::Error runGuarded(std::function<llvm::Error()> body, const Limits &limits = {});

// For a body that waits for something else, in short steps: true when it is to give up and to return an error, in place
// of which the caller gets the reason.
bool isStopRequested();
// Before it returns: remembers what its innermost stage was at, and that it needs no help to stop.
void noteWhereStopped();

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_GUARD_H
