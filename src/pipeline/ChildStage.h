// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's part of a compilation in a child process, for functions so large that LLVM may need minutes and gigabytes.
// The child can be killed at any time and its memory is returned; when the system runs out of memory, it is killed
// before its parent.
//
// The child is the command `tilewright`, beside the library, and no fork, because a copy (fork) of a
// process with threads may not do more than a signal handler may. That costs about as much as compiling a small kernel,
// so only large modules are worth it.
#ifndef TILEWRIGHT_PIPELINE_CHILDSTAGE_H
#define TILEWRIGHT_PIPELINE_CHILDSTAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace tilewright {

enum class Isolation { Never, Large, Always };

// True if the code of this module, in the llvm dialect, is to be made in a child.
bool wantsChild(mlir::ModuleOp module, Isolation isolation);

// The end of a child, and its output.
struct ChildResult {
  enum class End { Done, Failed, Killed, Stopped } end = End::Done;
  std::string output; // of End::Done
  // Of the others: the child's message or the reason of its end, and the stage it was in, if known.
  std::string message, place;
};

// Runs `tilewright ARGUMENTS`, with `input` as its standard input, until it ends or the body that calls this is to
// stop. Nothing if the command is not beside the library.
llvm::Expected<std::optional<ChildResult>> runChild(llvm::ArrayRef<std::string> arguments, llvm::StringRef input);

// Called first in the child: ends the child when its parent ends. `wasAskedToStop` becomes true when the parent
// requests it to stop and to report its stage.
void beChild();
bool wasAskedToStop();

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_CHILDSTAGE_H
