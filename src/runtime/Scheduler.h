// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a grid of tile blocks on the cores of this machine.
#ifndef TILEWRIGHT_RUNTIME_SCHEDULER_H
#define TILEWRIGHT_RUNTIME_SCHEDULER_H

#include "abi/Abi.h"
#include "runtime/LaunchProfile.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tilewright {

struct Grid {
  int64_t x = 1, y = 1, z = 1;
  int64_t blocks() const { return x * y * z; }
};

// An entry point ready to run.
struct KernelEntry {
  tilewright_kernel function = nullptr;
  int64_t scratchBytes = 0;
  // The recent cost of a tile block; launches too short to be worth waking a thread run on the caller.
  mutable std::atomic<float> nanosecondsPerBlock{-1};
};

struct AssertFailure {
  std::string message;
  std::string file;
  int64_t line = 0;
  int64_t block[3] = {0, 0, 0};
  std::vector<int64_t> position; // of the first element that is false
};

// A signal of a kernel's own making: an access to memory that is not there, or no stack left.
struct KernelFault {
  int signal = 0;
  uint64_t address = 0;
  int64_t firstBlock = 0, lastBlock = 0; // it was one of these, by linear number; the last is not among them
};

struct LaunchResult {
  std::optional<AssertFailure> failure; // of the lowest failing block that ran
  std::optional<KernelFault> fault;     // likewise
  std::string printed;                  // in the order of the blocks
  bool outOfMemory = false;             // no scratch
};

// A set of threads. Thread-safe: launches may come from any thread, also while the number of threads changes.
class Scheduler {
public:
  explicit Scheduler(int numThreads);
  ~Scheduler();

  int numThreads() const;
  void setNumThreads(int count);

  // A thread has runs of neighbours (BlockShares.h), handed out so that a block may wait for a lower-numbered one.
  // Returns when all are done, or after an assert failed or a block faulted and the blocks already running have
  // finished. With a profile, a run of neighbours is handed to the kernel in parts, whose times the profile gets.
  LaunchResult launch(const KernelEntry &entry, void **args, Grid grid, LaunchProfile *profile = nullptr);

  // True if launch() would run the grid on the calling thread in a few microseconds.
  bool isShort(const KernelEntry &entry, Grid grid) const;

private:
  struct Workers;
  std::shared_ptr<Workers> current() const;

  mutable std::mutex mutex;
  std::shared_ptr<Workers> workers;
  std::atomic<int> threads;
};

// TILEWRIGHT_NUM_THREADS if it is a positive number, else the cores this process may use.
int defaultNumThreads();

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_SCHEDULER_H
