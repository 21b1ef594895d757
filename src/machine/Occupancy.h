// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many thread blocks of a kernel an SM holds at a time, from what one of them uses and the SM has.
#ifndef TILEWRIGHT_MACHINE_OCCUPANCY_H
#define TILEWRIGHT_MACHINE_OCCUPANCY_H

#include "machine/Architecture.h"

namespace tilewright::nvidia {

struct BlockNeeds {
  unsigned threads = 0, registers = 0; // of a block; of a thread
  uint64_t sharedBytes = 0;            // static and dynamic
};

struct Occupancy {
  unsigned blocks = 0, warps = 0; // of an SM
  llvm::StringLiteral limit;      // the resource that is exhausted by one more block: threads, blocks, registers, ...
};

// No blocks: it does not fit at all, because of `limit`.
Occupancy computeOccupancy(const BlockNeeds &needs, const Architecture &architecture);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_MACHINE_OCCUPANCY_H
