// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "programs/Child.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <csignal>
#include <cstring>
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
    // What a dying process prints is no part of the report.
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
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  bool isLate = false;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd wanted{ends[0], POLLIN, 0};
    if (left <= 0 || poll(&wanted, 1, static_cast<int>(left)) == 0) {
      isLate = true;
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
