// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector clock: for each actor of a block (groups of warps, the producer, copies in flight) the number of its steps.
// Of the blocks of a cluster the actors have different numbers (TileBlock::inCluster).
#ifndef TILEWRIGHT_GPU_SIMULATOR_MEMORY_CLOCK_H
#define TILEWRIGHT_GPU_SIMULATOR_MEMORY_CLOCK_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace mlir {
class Operation;
} // namespace mlir

namespace tilewright::simulator {

/// A step of an actor that accesses shared memory.
struct Event {
  uint32_t actor = 0, time = 0;
  mlir::Operation *op = nullptr;
  mlir::Operation *owner = nullptr; // the owner of the bytes: a buffer's alloc, a pipeline
};

class Clock {
public:
  uint32_t of(uint32_t actor) const { return actor < times.size() ? times[actor] : 0; }
  bool includes(const Event &event) const { return of(event.actor) >= event.time; }
  void set(uint32_t actor, uint32_t time) {
    if (times.size() <= actor)
      times.resize(actor + 1);
    times[actor] = time;
  }
  void join(const Clock &other) {
    for (uint32_t actor = 0; actor != other.times.size(); ++actor)
      if (of(actor) < other.times[actor])
        set(actor, other.times[actor]);
  }

private:
  llvm::SmallVector<uint32_t, 16> times;
};

} // namespace tilewright::simulator

#endif
