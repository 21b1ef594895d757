// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the agents of a block are in the rings of its pipelines.
//
// A ring of n stages lies in shared memory as n times the stage's buffers, then n barriers "full" and n "empty"
// (mbarriers, of 8 bytes). At a full barrier arrive the bytes that the tensor memory accelerator brings, announced by
// one thread, and the threads whose own copies have come. An agent's place is a stage and a phase, the parity of its
// rounds through the ring: a full barrier's phase of parity p is complete when the copies of round p have come. The
// producer waits for the parity before its own, so that its first round passes. Both numbers are variables of the
// thread, which LLVM turns into registers.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PIPELINESTATE_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_PIPELINESTATE_H

#include "lower/tileas_to_nvvm/TileRegisters.h"

namespace tilewright {

class PipelineState {
public:
  explicit PipelineState(TileRegisters &tiles) : tiles(tiles) {}

  mlir::LogicalResult create(tileas::CreatePipelineOp create);
  void acquire(tileas::ProducerAcquireOp acquire);
  void commit(tileas::ProducerCommitOp commit);
  void wait(tileas::ConsumerWaitOp wait);
  void read(tileas::ConsumerReadOp read);
  void release(tileas::ConsumerReleaseOp release);
  void load(tileas::TmaLoadOp load);
  /// The stage that a copy by threads goes to.
  mlir::Value filled(tileas::AsyncLoadPtrOp load);

private:
  struct Place {
    mlir::Value stage, phase; // pointers to variables
  };
  struct Ring {
    tileas::PipelineType type;
    int64_t offset;
    bool byOne;              // the first thread waits, and releases stages by the hardware
    int64_t broughtBytes;    // of a stage, by the tensor memory accelerator
    int64_t copyingThreads;  // which copy the others themselves
    bool isProducedTogether; // by all threads of the producer, of which the first starts what the hardware does
    Place producer, consumer;
  };
  Ring &ringOf(mlir::Value pipeline);
  Place makePlace(int64_t firstPhase);
  static Ring describe(tileas::CreatePipelineOp create);
  mlir::Value get(mlir::Value variable);
  void byFirstOf(const Ring &ring, llvm::function_ref<void()> produce);
  void advance(const Ring &ring, const Place &place);
  mlir::Value full(const Ring &ring, mlir::Value stage);
  mlir::Value empty(const Ring &ring, mlir::Value stage);
  void waitFor(mlir::Value barrier, mlir::Value phase);

  TileRegisters &tiles;
  llvm::DenseMap<mlir::Value, Ring> rings;
};

/// The place of a buffer of a stage, in bytes of shared memory, in the ring that begins at `offset`.
mlir::Value placeInRing(tileas::PipelineType type, int64_t offset, mlir::Value stage, unsigned index,
                        TileRegisters &tiles);

} // namespace tilewright

#endif
