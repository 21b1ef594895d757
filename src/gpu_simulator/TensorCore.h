// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory, and the products that one thread starts there. A product is executed when it is started, but that is
// not visible: its reads and writes are in the past of the tensor core's clock alone, which others join where they wait
// for its end, or where a stage that it released is filled. So an accumulator that is read too early, or a stage that
// is filled while it is read, is found in whichever order they ran.
#ifndef TILEWRIGHT_GPU_SIMULATOR_TENSORCORE_H
#define TILEWRIGHT_GPU_SIMULATOR_TENSORCORE_H

#include "gpu_simulator/Actor.h"
#include "gpu_simulator/Ring.h"
#include "gpu_simulator/memory/SharedMemory.h"

namespace tilewright::simulator {

class TileBlock;

class TensorCore {
public:
  explicit TensorCore(TileBlock &block);

  llvm::Error step(Actor &actor, tileas::TmemLoadOp load);
  llvm::Error step(Actor &actor, tileas::TmemStoreOp store);
  llvm::Error step(Actor &actor, tileas::TmemMmaOp mma);
  void step(Actor &actor, tileas::TmemWaitOp wait);

  /// Whether the products that write this tile have ended, or none was started.
  bool haveEnded(Actor &actor, mlir::Value tmem);
  /// The past of the products so far: all their reads and writes.
  const Clock &past() const { return clock; }

private:
  struct Access {
    uint32_t event;
    int64_t base; // of the tile in tensor memory
  };
  Access access(Actor &actor, mlir::Operation *op, mlir::Value tmem);
  llvm::Error multiply(Actor &actor, tileas::TmemMmaOp mma);
  llvm::Error check(mlir::Operation *op, const std::string &does);
  void waitForEnd(Actor &actor, mlir::Value tmem);
  uint32_t number() const; // among actors, where there is tensor memory

  TileBlock &block;
  SharedMemory memory;
  // Products execute in order; when those before a commit have ended, its barrier completes a phase.
  Clock clock;
  uint32_t time = 0;
  std::vector<MemoryBarrier> ends;                             // of each tile in tensor memory
  llvm::DenseMap<std::pair<int, unsigned>, unsigned> parities; // that an actor waits for, by tile and actor
};

} // namespace tilewright::simulator

#endif
