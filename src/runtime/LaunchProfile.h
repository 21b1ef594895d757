// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When and where the tile blocks of one launch ran, for `tilewright profile`.
#ifndef TILEWRIGHT_RUNTIME_LAUNCHPROFILE_H
#define TILEWRIGHT_RUNTIME_LAUNCHPROFILE_H

#include <cstdint>
#include <memory>
#include <vector>

namespace tilewright {
namespace cuda {
class LaunchRecords;
} // namespace cuda

// Neighbouring blocks that a worker of a CPU ran one after the other. Times are nanoseconds of the steady clock.
struct BlockRun {
  int worker = 0;
  int64_t first = 0, last = 0; // linear numbers; the last is not among them
  int64_t begin = 0, end = 0;
};

struct LaunchProfile {
  int64_t begin = 0, end = 0; // of the launch
  std::vector<BlockRun> runs; // of each worker in their order
  // Of a kernel on a GPU that notes what its agents do. A launch like the last one of the profile uses the same memory.
  std::shared_ptr<cuda::LaunchRecords> onGpu;
};

// Blocks of one run: one, where that costs less than a hundredth of its time. Shorter ones are recorded together, by
// multiples of as many as a kernel may handle at once (the decision joined_blocks), and so are those of a grid with
// more blocks than a profile keeps records.
int64_t blocksOfRun(int64_t blocks, float nanosecondsPerBlock);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_LAUNCHPROFILE_H
