// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of entries that have no machine code: their operations are interpreted, or their kernels for a GPU simulated
// on the host.
#ifndef TILEWRIGHT_SESSION_EXECUTE_H
#define TILEWRIGHT_SESSION_EXECUTE_H

#include "interpreter/check/Checker.h"
#include "interpreter/debug/Debugger.h"
#include "session/LoadEntry.h"

namespace tilewright::session {

/// A debugger that interpreted launches stop for.
struct DebuggerFrontEnd {
  interpreter::Console console;
  interpreter::DebuggerState state;
};

struct ExecuteOptions {
  int64_t stepLimit = 0;             // operations of a launch; 0: as many as it takes
  std::function<llvm::Error()> poll; // asked now and then; its error ends the launch

  // Of the interpreter.
  bool check = false;                                             // an error for what the program may not do
  std::function<std::vector<interpreter::CheckedArray>()> arrays; // behind the pointers, for checked mode
  DebuggerFrontEnd *debugger = nullptr;

  // Of the simulator: as simulator::LaunchOptions has them.
  int64_t schedules = 1;
  uint64_t seed = 0;
  std::string *note = nullptr; // gets which schedules there were, if there was more than one

  /// The options that the environment has.
  static ExecuteOptions fromEnvironment();
};

/// A launch ended before its end: an operation was not allowed, checked mode has findings, or the debugger's user quit.
class ExecutionError : public llvm::ErrorInfo<ExecutionError> {
public:
  enum class Kind { NotAllowed, Findings, Quit };
  static char ID;

  ExecutionError(Kind kind, std::string text, std::string printed)
      : kind(kind), text(std::move(text)), printed(std::move(printed)) {}
  Kind getKind() const { return kind; }
  /// The text that the kernel had printed until then.
  const std::string &getPrinted() const { return printed; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  Kind kind;
  std::string text, printed;
};

/// Of an entry with InterpretedCode or SimulatedCode; values[i] points at the value of parameter i.
llvm::Expected<LaunchResult> execute(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                     const ExecuteOptions &options);

} // namespace tilewright::session

#endif
