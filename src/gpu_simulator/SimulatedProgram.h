// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module at the tileas level for an architecture, run on the host: it executes the operations of the threads of
// each block, with barriers, pipelines and copies, under many schedules. docs/gpu_simulator.md
#ifndef TILEWRIGHT_GPU_SIMULATOR_SIMULATEDPROGRAM_H
#define TILEWRIGHT_GPU_SIMULATOR_SIMULATEDPROGRAM_H

#include "machine/Architecture.h"
#include "runtime/Image.h"
#include "runtime/Scheduler.h"
#include <array>
#include <functional>
#include <memory>

namespace tilewright::simulator {

struct LaunchOptions {
  /// If more than 1, each block also runs in every order of its pipelines' events, if there are at most so many, else
  /// under so many schedules by the seed. All have to write the same memory.
  int64_t schedules = 1;
  uint64_t seed = 0;
  /// Operations that a launch may execute; 0: no limit.
  int64_t stepLimit = 0;
  std::function<llvm::Error()> poll;
};

/// Of a launch with more than one schedule: the largest number for a block, and whether these were all.
struct LaunchReport {
  int64_t schedules = 0;
  bool isComplete = true;
};

class SimulatedProgram {
public:
  /// Bytecode or text of Tile IR, which is lowered to tileas; or text of tileas. Finished kernels, those with
  /// `shared_bytes` in `tileas.cta`, stay as they are. The text of a plan file, if any, decides;
  /// errors call it `planName`.
  static llvm::Expected<std::shared_ptr<SimulatedProgram>> compile(llvm::StringRef bytes, llvm::StringRef name,
                                                                   const nvidia::Architecture &architecture,
                                                                   llvm::StringRef plan = "",
                                                                   llvm::StringRef planName = "plan");
  ~SimulatedProgram();

  const EntryInfo *find(llvm::StringRef name) const;
  llvm::ArrayRef<EntryInfo> allEntries() const { return entries; }

  /// An error is a fault of the kernel: a deadlock, an access too early, invalid memory.
  llvm::Expected<LaunchResult> launch(llvm::StringRef entry, std::array<int64_t, 3> grid, llvm::ArrayRef<void *> args,
                                      const LaunchOptions &options, LaunchReport &report);

private:
  struct Module;
  SimulatedProgram();

  std::unique_ptr<Module> module;
  std::vector<EntryInfo> entries;
};

} // namespace tilewright::simulator

#endif
