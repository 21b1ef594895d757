// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/ChildStage.h"

#include "mlir/IR/BuiltinOps.h"
#include "support/Guard.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <dlfcn.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

// Operations of the llvm dialect in one function from which on LLVM takes a second or more.
constexpr size_t largeFunction = 10'000;

// How long a child that is to stop has to say what it was at.
constexpr int lastWordsMilliseconds = 800;

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

class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  operator int() const { return number; }

private:
  int number;
};

// A file in memory, for a child's standard streams: nobody must read while it writes.
class MemoryFile : public Descriptor {
public:
  MemoryFile() : Descriptor(memfd_create("tilewright", MFD_CLOEXEC)) {}

  bool fill(StringRef bytes) {
    while (!bytes.empty()) {
      ssize_t written = write(*this, bytes.data(), bytes.size());
      if (written <= 0)
        return false;
      bytes = bytes.drop_front(written);
    }
    return lseek(*this, 0, SEEK_SET) == 0;
  }

  std::string read() {
    std::string bytes(std::max<off_t>(0, lseek(*this, 0, SEEK_END)), '\0');
    ssize_t size = pread(*this, bytes.data(), bytes.size(), 0);
    bytes.resize(std::max<ssize_t>(0, size));
    return bytes;
  }
};

struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnSettings(int in, int out, int err) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, 3);
    // A group of its own: Ctrl-C in the terminal is for the parent, which then decides. No signal is blocked as it is
    // on the compiler's thread, or handled as in the host.
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

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
  MemoryFile in, out, err;
  if (in < 0 || out < 0 || err < 0 || !in.fill(input))
    return createStringError("there is no memory for the child's input");

  std::vector<char *> words = {command->data()};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  SpawnSettings settings(in, out, err);
  pid_t child;
  if (int code = posix_spawn(&child, command->c_str(), &settings.files, &settings.attributes, words.data(), environ))
    return createStringError("cannot start " + *command + ": " + std::generic_category().message(code));

  Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  auto ended = [&](int milliseconds) {
    pollfd wait{process, POLLIN, 0};
    if (process >= 0)
      return poll(&wait, 1, milliseconds) > 0;
    usleep(milliseconds * 1000);
    siginfo_t info{};
    return waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
  };
  ChildResult result;
  bool isDone;
  while (!(isDone = ended(20)) && !isStopRequested())
    ;
  if (!isDone) {
    kill(child, SIGINT);
    if (!ended(lastWordsMilliseconds))
      kill(child, SIGKILL);
  }
  int status = 0;
  // A host that waits for all of its children may have been first; then what the child wrote must do.
  bool isKnown = waitpid(child, &status, 0) == child;
  result.output = out.read();
  readMessage(err.read(), result);
  if (!isDone)
    result.end = ChildResult::End::Stopped;
  else if (isKnown && WIFSIGNALED(status)) {
    result.end = ChildResult::End::Killed;
    result.message = "the compiler's child process was killed (signal " + std::to_string(WTERMSIG(status)) +
                     (WTERMSIG(status) == SIGKILL ? "; the system may be out of memory)" : ")");
  } else if (isKnown ? WEXITSTATUS(status) != 0 : result.output.empty())
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
