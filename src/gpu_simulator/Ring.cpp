// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/Ring.h"

using namespace tilewright;
using namespace tilewright::simulator;

bool MemoryBarrier::arrive(const Clock &clock, int64_t announced) {
  if (missing == 0)
    return false;
  --missing;
  bytes += announced;
  current.join(clock);
  completeIfDone();
  return true;
}

void MemoryBarrier::bring(const Clock &clock, int64_t count) {
  bytes -= count;
  current.join(clock);
  completeIfDone();
}

void MemoryBarrier::completeIfDone() {
  if (missing || bytes)
    return;
  missing = expected;
  ++phase;
  past.join(current);
}

// A producer's first round waits for the phase before the first one, which counts as complete.
Ring::Ring(tileas::CreatePipelineOp create, int64_t offset, unsigned actors)
    : type(create.getPipeline().getType()), origin(create), offset(offset), full(type.getStages(), MemoryBarrier(1)),
      empty(type.getStages(), MemoryBarrier(create.getConsumers() * create.getCluster())), consumers(actors),
      lastRelease(actors) {
  producer.parity = 1;
}

int64_t Ring::bytesOfStage() const {
  int64_t bytes = 0;
  for (tileas::BufferType buffer : type.getBuffers())
    bytes += buffer.getBytes();
  return bytes;
}
