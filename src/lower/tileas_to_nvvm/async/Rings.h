// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rings of a kernel's pipelines, and the code of agents at their stages.
//
// A ring of n stages lies in shared memory as n times the stage's buffers, then n barriers "full" and n "empty"
// (mbarriers, of 8 bytes). Arrivals at a full barrier are the bytes that the tensor memory accelerator copies,
// announced by one thread, and the threads whose own copies have completed. An agent's state is a stage and a phase,
// the parity of its rounds through the ring: a full barrier's phase of parity p is complete when the copies of round p
// have come. The producer waits for the parity before its own, so that its first round passes.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_RINGS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_RINGS_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// A pipeline by the original IR.
struct Ring {
  tileas::PipelineType type;
  int64_t offset;                  // in shared memory
  int64_t consumers;               // none: all threads copy and read, and name stages themselves
  bool byOne;                      // the first thread waits, and releases stages by the hardware
  int64_t broughtBytes = 0;        // of a stage, by the tensor memory accelerator
  int64_t copyingThreads = 0;      // which copy the others themselves
  bool isWritten = false;          // these write through registers, and do not start copies
  bool isProducedTogether = false; // by all threads of the producer, of which the first starts what the hardware does
  bool isReadByThreads = false;
  bool isReadByHardware = false; // a stage that threads fill: past their caches
  int64_t cluster = 1;           // CTAs that copy into each other's stages
};

/// The registers of a `!tileas.pipeline_state`: the barrier of a stage, and the parity that is waited for.
struct PipelineState {
  explicit PipelineState(mlir::ValueRange registers) : stage(registers[0]), phase(registers[1]) {}

  mlir::Value stage, phase;
};

/// By operation: the pipeline that it makes or uses.
class Rings {
public:
  explicit Rings(mlir::func::FuncOp function);
  const Ring &of(mlir::Operation *op) const { return rings[numbers.find(op)->second]; }

private:
  std::vector<Ring> rings;
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
};

/// Why an operation of an agent has no code: tileas-carry-pipeline-state has not run.
constexpr llvm::StringLiteral hasNoState = "it has no state of its pipeline";

/// The code of a thread at a ring.
class RingBuilder {
public:
  RingBuilder(const Ring &ring, ThreadBuilder &thread) : ring(ring), thread(thread) {}

  /// The registers of the next state.
  std::array<mlir::Value, 2> next(PipelineState state);
  /// The barriers of a stage, as pointers.
  mlir::Value full(mlir::Value stage);
  mlir::Value empty(mlir::Value stage);
  void waitFor(mlir::Value barrier, mlir::Value phase);
  /// A bit for each CTA of the cluster, i16.
  mlir::Value allOfCluster();
  /// The offset of a buffer of a stage, in bytes of shared memory.
  mlir::Value bufferOf(mlir::Value stage, unsigned index);
  /// By one thread for all of the producer's, where they are all there.
  void byFirst(llvm::function_ref<void()> produce);

  const Ring &ring;

private:
  mlir::Value barrierOf(mlir::Value stage, int64_t first);

  ThreadBuilder &thread;
};

} // namespace tilewright

#endif
