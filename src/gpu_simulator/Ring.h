// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipeline's stages as the hardware has them: for each two barriers in memory, of which one completes a phase when
// the stage is full and the other when it is empty. A wait tests the parity of a phase, and misses a phase that
// completes twice meanwhile: that too is as on the hardware.
#ifndef TILEWRIGHT_GPU_SIMULATOR_RING_H
#define TILEWRIGHT_GPU_SIMULATOR_RING_H

#include "gpu_simulator/SimulatedValue.h"
#include "gpu_simulator/memory/Clock.h"
#include <vector>

namespace tilewright::simulator {

class MemoryBarrier {
public:
  explicit MemoryBarrier(int64_t arrivals) : expected(arrivals), missing(arrivals) {}

  /// An arrival that announces the bytes of copies. False if no more arrivals were expected.
  bool arrive(const Clock &clock, int64_t bytes = 0);
  void bring(const Clock &clock, int64_t bytes);
  bool hasCompleted(unsigned parity) const { return (phase & 1) != parity; }
  /// The clock at the completion of the last phase.
  const Clock &completed() const { return past; }
  int64_t missingArrivals() const { return missing; }
  int64_t missingBytes() const { return bytes; }

private:
  void completeIfDone();

  int64_t expected, missing, bytes = 0;
  uint64_t phase = 0;
  Clock current, past;
};

/// A buffer for tiles of other blocks of the cluster, full in each step. "Empty" is for the tile that this block
/// passes.
struct ExchangeState {
  ExchangeState(tileas::CreateExchangeOp create, int64_t offset, unsigned consumers)
      : origin(create), offset(offset), full(tileas::ExchangeType::mostSteps, MemoryBarrier(consumers)),
        empty(consumers), rounds(consumers, std::vector<int64_t>(tileas::ExchangeType::mostSteps)) {}

  tileas::CreateExchangeOp origin;
  int64_t offset;
  std::vector<MemoryBarrier> full;
  MemoryBarrier empty;
  std::vector<std::vector<int64_t>> rounds; // by actor, of each step
};

struct Ring {
  Ring(tileas::CreatePipelineOp create, int64_t offset, unsigned actors);

  tileas::PipelineType type;
  mlir::Operation *origin;
  int64_t offset;
  std::vector<MemoryBarrier> full, empty;
  RingPlace producer;
  std::vector<RingPlace> consumers;           // by actor
  std::vector<mlir::Operation *> lastRelease; // by actor
  mlir::Operation *acquired = nullptr;        // and not committed yet

  int64_t bytesOfStage() const;
  /// One actor, the first, waits and releases for all.
  bool isByOne() const { return llvm::cast<tileas::CreatePipelineOp>(origin).getByOne(); }
  /// Its stages are empty when consumers of all blocks of the cluster have released them.
  bool isOfCluster() const { return llvm::cast<tileas::CreatePipelineOp>(origin).getCluster() > 1; }
  bool isOthers(bool isFirst) const { return isByOne() && !isFirst; }
  int64_t offsetOf(int64_t stage, unsigned index) const {
    return offset + stage * type.getStageBytes() + type.getBufferOffset(index);
  }
};

} // namespace tilewright::simulator

#endif
