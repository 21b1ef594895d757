// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which cores the threads of a launch run on. A thread that has slept may wake on the core of the thread that woke it,
// and both share that core for milliseconds while another is idle.
#ifndef TILEWRIGHT_RUNTIME_LAUNCHCORES_H
#define TILEWRIGHT_RUNTIME_LAUNCHCORES_H

#include <atomic>
#include <cstdint>
#include <sched.h>
#include <thread>

namespace tilewright {

class LaunchCores {
public:
  LaunchCores(); // on the thread that launches

  // A thread that joins the launch moves off a core that another of its threads has, if one is left that it may run on.
  // Until it joins a launch from another core, it does not wake on the core of this one's launcher.
  void join();

private:
  bool take(int core); // false if another thread has it

  std::thread::id launcher = std::this_thread::get_id();
  int ofLauncher; // its core
  std::atomic<uint64_t> taken[CPU_SETSIZE / 64] = {};
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_LAUNCHCORES_H
