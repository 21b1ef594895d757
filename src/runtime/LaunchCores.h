// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which cores the threads of a launch run on. A thread that has slept may wake on the core of the thread that woke it,
// and both share that core for milliseconds while another is idle. So threads take different cores, and until they take
// others they do not wake on those of the rest.
#ifndef TILEWRIGHT_RUNTIME_LAUNCHCORES_H
#define TILEWRIGHT_RUNTIME_LAUNCHCORES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <sched.h>

namespace tilewright {

using CoreSet = std::array<uint64_t, CPU_SETSIZE / 64>;

class LaunchCores {
public:
  LaunchCores(); // on the thread that launches; threads that do stay where they are

  // A thread that joins the launch moves off a core that another of its threads has, if one is left that it may run on.
  void join();

  // At its end it leaves the cores of the others to them.
  void leave() const;

private:
  bool take(int core); // false if another thread has it

  std::atomic<uint64_t> taken[CPU_SETSIZE / 64] = {};
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_LAUNCHCORES_H
