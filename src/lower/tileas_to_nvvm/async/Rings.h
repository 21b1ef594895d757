// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings of a kernel's pipelines, and where its agents are in them.
//
// A ring of n stages lies in shared memory as n times the stage's buffers, then n barriers "full" and n "empty"
// (mbarriers, of 8 bytes). Arrivals at a full barrier are the bytes that the tensor memory accelerator copies,
// announced by one thread, and the threads whose own copies have completed. An agent's place is a stage and a phase,
// the parity of its rounds through the ring: a full barrier's phase of parity p is complete when the copies of round p
// have come. The producer waits for the parity before its own, so that its first round passes. Both numbers are
// variables of the thread, which LLVM turns into registers.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_RINGS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_RINGS_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// A pipeline by the original IR.
struct Ring {
  struct Place {
    mlir::Value stage, phase; // pointers to variables
  };

  tileas::PipelineType type;
  int64_t offset;                  // in shared memory
  int64_t consumers;               // none: all threads copy and read, and name stages themselves
  bool byOne;                      // the first thread waits, and releases stages by the hardware
  int64_t broughtBytes = 0;        // of a stage, by the tensor memory accelerator
  int64_t copyingThreads = 0;      // which copy the others themselves
  bool isProducedTogether = false; // by all threads of the producer, of which the first starts what the hardware does
  bool isReadByThreads = false;
  bool isReadByHardware = false; // a stage that threads fill: past their caches
  Place producer = {}, consumer = {};
};

/// By operation: the pipeline that it makes or uses.
class Rings {
public:
  explicit Rings(KernelContext &kernel);
  const Ring &of(mlir::Operation *op) const { return rings[numbers.find(op)->second]; }

private:
  std::vector<Ring> rings;
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
};

/// The code of a thread at a ring.
class RingBuilder {
public:
  RingBuilder(const Ring &ring, ThreadBuilder &thread) : ring(ring), thread(thread) {}

  mlir::Value stageOf(const Ring::Place &place) { return get(place.stage); }
  mlir::Value phaseOf(const Ring::Place &place) { return get(place.phase); }
  void advance(const Ring::Place &place);
  /// The barriers of a stage, as pointers.
  mlir::Value full(mlir::Value stage);
  mlir::Value empty(mlir::Value stage);
  void waitFor(mlir::Value barrier, mlir::Value phase);
  /// The offset of a buffer of a stage, in bytes of shared memory.
  mlir::Value bufferOf(mlir::Value stage, unsigned index);
  /// By one thread for all of the producer's, where they are all there.
  void byFirst(llvm::function_ref<void()> produce);

private:
  mlir::Value get(mlir::Value variable);
  mlir::Value barrierOf(mlir::Value stage, int64_t first);

  const Ring &ring;
  ThreadBuilder &thread;
};

} // namespace tilewright

#endif
