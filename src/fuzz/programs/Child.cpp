// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Child.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::programs {

static void writeAll(int file, const char *data, size_t bytes) {
  while (bytes) {
    ssize_t written = write(file, data, bytes);
    if (written <= 0)
      _exit(1);
    data += written;
    bytes -= written;
  }
}

double usedSeconds(pid_t process) {
  clockid_t clock;
  timespec used;
  if (clock_getcpuclockid(process, &clock) || clock_gettime(clock, &used))
    return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

bool isOverdue(pid_t process, double used, double seconds, double limit) {
  return seconds > limit && (usedSeconds(process) - used > limit || seconds > 20 * limit);
}

Report runInChild(llvm::function_ref<Report()> run, unsigned seconds) {
  int ends[2];
  if (pipe(ends))
    return {Verdict::Invalid, std::string("no pipe: ") + strerror(errno) + "\n"};
  fflush(nullptr);
  pid_t process = fork();
  if (process < 0)
    return {Verdict::Invalid, std::string("no process: ") + strerror(errno) + "\n"};
  if (process == 0) {
    close(ends[0]);
    // The output of a dying process is no part of the report.
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    Report report = run();
    char verdict = static_cast<char>(report.verdict);
    writeAll(ends[1], &verdict, 1);
    writeAll(ends[1], report.text.data(), report.text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string received;
  auto start = std::chrono::steady_clock::now();
  bool isLate = false;
  while (true) {
    pollfd wanted{ends[0], POLLIN, 0};
    if (poll(&wanted, 1, 500) == 0) {
      std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      isLate = isOverdue(process, 0, passed.count(), seconds);
      if (!isLate)
        continue;
      kill(process, SIGKILL);
      break;
    }
    char buffer[4096];
    ssize_t size = read(ends[0], buffer, sizeof(buffer));
    if (size <= 0)
      break;
    received.append(buffer, size);
  }
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  if (isLate)
    return {Verdict::Mismatch, "ran for more than " + std::to_string(seconds) + " seconds\n"};
  if (WIFSIGNALED(status))
    return {Verdict::Mismatch, std::string("died of ") + strsignal(WTERMSIG(status)) + "\n"};
  if (received.empty())
    return {Verdict::Mismatch, "ended with status " + std::to_string(WEXITSTATUS(status)) + "\n"};
  return {static_cast<Verdict>(received[0]), received.substr(1)};
}

} // namespace tilewright::programs
