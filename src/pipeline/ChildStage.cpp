// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/ChildStage.h"

#include "mlir/IR/BuiltinOps.h"
#include "support/ChildProcess.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <dlfcn.h>
#include <sys/prctl.h>

using namespace llvm;

namespace tilewright {
namespace {

// Operations of the llvm dialect in one function from which on LLVM takes a second or more.
constexpr size_t largeFunction = 10'000;

// The time for a stopped child to report its stage.
constexpr std::chrono::milliseconds lastWords(800);

std::optional<std::string> findCommand() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&runChild), &info))
    return std::nullopt;
  StringRef folder = sys::path::parent_path(info.dli_fname);
  for (const char *relative : {"tilewright", "../bin/tilewright"}) {
    SmallString<128> path(folder);
    sys::path::append(path, relative);
    if (sys::fs::can_execute(path))
      return path.str().str();
  }
  return std::nullopt;
}

// The child's first error without the command's name, and the place at its end.
void readMessage(StringRef text, ChildResult &result) {
  text = text.rtrim();
  text.consume_front("tilewright: error: ");
  result.message = text.str();
  size_t begin = text.rfind(" (in ");
  if (begin == StringRef::npos || !text.ends_with(")"))
    return;
  result.place = text.slice(begin + 5, text.size() - 1).str();
  result.message = text.take_front(begin).str();
}

} // namespace

bool wantsChild(mlir::ModuleOp module, Isolation isolation) {
  if (isolation != Isolation::Large)
    return isolation == Isolation::Always;
  return llvm::any_of(module.getBody()->getOperations(), [](mlir::Operation &function) {
    size_t count = 0;
    function.walk([&](mlir::Operation *) { ++count; });
    return count > largeFunction;
  });
}

Expected<std::optional<ChildResult>> runChild(ArrayRef<std::string> arguments, StringRef input) {
  std::optional<std::string> command = findCommand();
  if (!command)
    return std::nullopt;
  ProcessOptions options;
  options.input = input;
  options.lastWords = lastWords;
  auto process = runProcess(*command, arguments, options);
  if (!process)
    return process.takeError();

  ChildResult result;
  result.output = std::move(process->output);
  readMessage(process->error, result);
  if (process->end == ProcessResult::End::Stopped)
    result.end = ChildResult::End::Stopped;
  else if (process->end == ProcessResult::End::Killed) {
    result.end = ChildResult::End::Killed;
    result.message = "the compiler's child process was killed (signal " + std::to_string(process->status) +
                     (process->status == SIGKILL ? "; the system may be out of memory)" : ")");
  } else if (process->hasStatus ? process->status != 0 : result.output.empty()) // without a status, its output decides
    result.end = ChildResult::End::Failed;
  return std::optional<ChildResult>(std::move(result));
}

static volatile std::sig_atomic_t askedToStop = 0;

void beChild() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::error_code ignored;
  raw_fd_ostream("/proc/self/oom_score_adj", ignored) << "1000";
  std::signal(SIGINT, [](int) { askedToStop = 1; });
}

bool wasAskedToStop() {
  return askedToStop;
}

} // namespace tilewright
