// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another program, run to its end: its input and output are in memory, and it can be stopped at any time together
// with the processes that it has started.
#ifndef TILEWRIGHT_SUPPORT_CHILDPROCESS_H
#define TILEWRIGHT_SUPPORT_CHILDPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace tilewright {

// A file without a name that a child may open by the path /dev/fd/NUMBER.
class MemoryFile {
public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  bool isOpen() const { return number >= 0; }
  int descriptor() const { return number; }
  // Writes all of it and goes back to the beginning.
  bool fill(llvm::StringRef bytes);
  std::string read() const;

private:
  int number;
};

struct ProcessResult {
  // Stopped: the guarded body that waited is to stop (support/Guard.h). Late: the time limit was over.
  enum class End { Exited, Killed, Stopped, Late } end = End::Exited;
  bool hasStatus = true; // false where the host waited for the child before we did
  int status = 0;        // of Exited: the exit status; of Killed: the signal
  std::string output, error;
};

struct ProcessOptions {
  llvm::StringRef input;
  std::chrono::milliseconds time{0}; // 0: no limit
  // How long a child that is to stop has to say why, after SIGINT.
  std::chrono::milliseconds lastWords{0};
};

llvm::Expected<ProcessResult> runProcess(const std::string &program, llvm::ArrayRef<std::string> arguments,
                                         const ProcessOptions &options = {});

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_CHILDPROCESS_H
