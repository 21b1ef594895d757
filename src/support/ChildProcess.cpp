// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ChildProcess.h"

#include "support/Guard.h"
#include <csignal>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

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

class Child {
public:
  explicit Child(pid_t id) : id(id), handle(static_cast<int>(syscall(SYS_pidfd_open, id, 0))) {}
  ~Child() {
    if (handle >= 0)
      close(handle);
  }

  // Waits so long for its end.
  bool isDone(std::chrono::milliseconds time) const {
    pollfd wait{handle, POLLIN, 0};
    if (handle >= 0)
      return poll(&wait, 1, static_cast<int>(time.count())) > 0;
    usleep(time.count() * 1000);
    siginfo_t info{};
    return waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == id;
  }
  // The child leads a group, in which its own children are.
  void signal(int number) const { kill(-id, number); }

private:
  pid_t id;
  int handle;
};

} // namespace

MemoryFile::MemoryFile() : number(memfd_create("tilewright", MFD_CLOEXEC)) {}
MemoryFile::~MemoryFile() {
  if (number >= 0)
    close(number);
}

bool MemoryFile::fill(StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(number, bytes.data(), bytes.size());
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return lseek(number, 0, SEEK_SET) == 0;
}

std::string MemoryFile::read() const {
  std::string bytes(std::max<off_t>(0, lseek(number, 0, SEEK_END)), '\0');
  ssize_t size = pread(number, bytes.data(), bytes.size(), 0);
  bytes.resize(std::max<ssize_t>(0, size));
  return bytes;
}

Expected<ProcessResult> runProcess(const std::string &program, ArrayRef<std::string> arguments,
                                   const ProcessOptions &options) {
  // Files, so that no reader is needed while the child writes.
  MemoryFile in, out, err;
  if (!in.isOpen() || !out.isOpen() || !err.isOpen() || !in.fill(options.input))
    return createStringError("there is no memory for the child's input");

  std::vector<char *> words = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  SpawnSettings settings(in.descriptor(), out.descriptor(), err.descriptor());
  pid_t id;
  if (int code = posix_spawn(&id, program.c_str(), &settings.files, &settings.attributes, words.data(), environ))
    return createStringError("cannot start " + program + ": " + std::generic_category().message(code));

  Child child(id);
  ProcessResult result;
  const Clock::time_point end = Clock::now() + options.time;
  while (!child.isDone(std::chrono::milliseconds(20))) {
    bool isLate = options.time.count() && Clock::now() >= end;
    if (!isLate && !isStopRequested())
      continue;
    result.end = isLate ? ProcessResult::End::Late : ProcessResult::End::Stopped;
    if (options.lastWords.count())
      child.signal(SIGINT);
    if (!options.lastWords.count() || !child.isDone(options.lastWords))
      child.signal(SIGKILL);
    break;
  }
  int status = 0;
  // A host that waits for all of its children may have been first.
  result.hasStatus = waitpid(id, &status, 0) == id;
  result.output = out.read();
  result.error = err.read();
  if (result.end == ProcessResult::End::Exited && result.hasStatus) {
    if (WIFSIGNALED(status))
      result.end = ProcessResult::End::Killed;
    result.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  return result;
}

} // namespace tilewright
