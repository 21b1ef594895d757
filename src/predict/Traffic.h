// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes of a launch come from and go to DRAM: those of the tiles that are in the last cache are not among
// them. Likewise for a cache before it, whose misses go to the next. Blocks that run at a time are taken to be at the
// same iteration of their loops, so that one load from DRAM serves all that ask for a tile; a tile that is asked for
// again later is still there if less than the cache's capacity was touched in between.
#ifndef TILEWRIGHT_PREDICT_TRAFFIC_H
#define TILEWRIGHT_PREDICT_TRAFFIC_H

#include "predict/Tile.h"

namespace tilewright::predict {

struct Traffic {
  double dramRead = 0, dramWritten = 0; // bytes
  bool isComplete = true;               // the places of all tiles were known
};

/// `capacity`: bytes that the cache holds. `slots`: blocks that run at a time. `blocks`: those that are launched.
Traffic countTraffic(const Work &work, double capacity, const Launch &launch, std::array<int64_t, 3> blocks,
                     int64_t slots);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_TRAFFIC_H
