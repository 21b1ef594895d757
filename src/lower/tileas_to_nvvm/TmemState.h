// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory of a kernel, and the products by tcgen05 that add up there. The first thread of the block starts them;
// all threads wait for their end at a barrier in shared memory (mbarrier), which the hardware comes to: a commit
// follows the products started until then. Which of the barrier's phases that is a thread knows by a variable of its
// own, that LLVM turns into a register.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_TMEMSTATE_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_TMEMSTATE_H

#include "lower/tileas_to_nvvm/TileRegisters.h"

namespace tilewright {

class TmemState {
public:
  explicit TmemState(TileRegisters &tiles) : tiles(tiles) {}

  mlir::LogicalResult allocate(tileas::TmemAllocOp alloc);
  void deallocate(tileas::TmemDeallocOp dealloc);
  mlir::LogicalResult load(tileas::TmemLoadOp load);
  mlir::LogicalResult store(tileas::TmemStoreOp store);
  mlir::LogicalResult multiply(tileas::TmemMmaOp mma);
  void wait(tileas::TmemWaitOp wait);

private:
  struct Tmem {
    mlir::Value address;       // i32
    int64_t barrier;           // in shared memory
    mlir::Value phase;         // a pointer to a variable
    layout::LinearLayout tile; // Row, Column -> the tile
  };
  Tmem &memoryOf(mlir::Value value) { return memories.find(value)->second; }
  void waitFor(const Tmem &memory);

  TileRegisters &tiles;
  llvm::DenseMap<mlir::Value, Tmem> memories;
};

} // namespace tilewright

#endif
