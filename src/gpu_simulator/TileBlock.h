// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile block of a launch: its actors, what they share, and the steps they take in the order that a schedule
// chooses. The tensor memory accelerator is an actor too: each box it has to copy is a step, and boxes come in any
// order. The blocks of a cluster take their steps in between each other's.
#ifndef TILEWRIGHT_GPU_SIMULATOR_TILEBLOCK_H
#define TILEWRIGHT_GPU_SIMULATOR_TILEBLOCK_H

#include "gpu_simulator/Copies.h"
#include "gpu_simulator/Meeting.h"
#include "gpu_simulator/TensorCore.h"
#include "gpu_simulator/memory/GlobalMemory.h"
#include "interpreter/memory/OwnedMemory.h"
#include "runtime/Scheduler.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::simulator {

/// Chooses the next actor or copy.
class Schedule {
public:
  virtual ~Schedule();
  /// One of so many that can proceed, at least one.
  virtual size_t choose(size_t count) = 0;
  /// Whether only the steps of pipelines are scheduled: acquire, wait, release, and boxes that arrive. Every other step
  /// is executed at once. Other orders need no test: unordered accesses to shared memory are faults in any order, and a
  /// barrier does not depend on the order of arrival.
  virtual bool isForPipelines() const { return false; }
};

/// State of a launch that all its blocks share.
struct LaunchState {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> wanted = {1, 1, 1}; // the requested grid, which fewer persistent blocks process
  int64_t steps = 0, stepLimit = 0;
  std::function<llvm::Error()> poll;
  std::function<uint64_t(llvm::StringRef)> addressOfGlobal;
};

/// The part of a block in a step of a cluster's sums.
enum class SumRole { None, Adds, Passes };

class TileBlock {
public:
  /// `rank` is its number among the blocks of a cluster, which join all of them.
  TileBlock(SimulatedKernel &kernel, LaunchState &launch, std::array<int64_t, 3> block,
            llvm::ArrayRef<void *> arguments, unsigned rank = 0);
  ~TileBlock();
  void join(llvm::ArrayRef<std::unique_ptr<TileBlock>> blocks);

  std::string printed;
  std::optional<AssertFailure> failure;
  GlobalMemory global;
  bool hasAtomics = false; // whose order affects results

  // For operations.
  SimulatedKernel &kernel;
  LaunchState &launch;
  const std::array<int64_t, 3> index;
  SharedMemory shared;
  std::vector<Ring> rings;
  std::vector<ExchangeState> exchanges;

  llvm::Error countStep(mlir::Operation *op);
  /// Memory of an alloca: the same for all actors that execute it for the nth time.
  llvm::Expected<uint64_t> allocate(tileaa::AllocaOp alloca, const Actor &actor);
  /// An error that names the invalid memory or the conflict of an access; success if there is none.
  llvm::Error missingMemory(mlir::Operation *op);
  llvm::Error checkShared(mlir::Operation *op, const std::string &reads, const std::string &writes);
  /// Writes the actor's own elements to the buffer of that type at an offset of shared memory.
  void writeTile(Actor &actor, uint32_t access, const Tile &tile, tileas::BufferType buffer, int64_t offset);

  /// The blocks of its cluster by rank, itself among them.
  llvm::ArrayRef<TileBlock *> cluster() const { return peers; }
  const unsigned rank;
  unsigned numActors() const { return actors.size(); }
  /// The number of an actor, or of a slot of copies behind them, in clocks; and back from those.
  uint32_t inCluster(uint32_t number) const { return number * kernel.cluster + rank; }
  /// The actor of a number in clocks, and what it does: "warp 2 of CTA 1 of the cluster reads"; of a copy or
  /// a product nothing.
  std::string whoDoes(uint32_t inCluster, llvm::StringRef what) const;
  /// " of CTA 1 of the cluster", where there is one.
  std::string ofCluster() const;
  /// No actor takes a further step.
  void end() { hasEnded = true; }

private:
  friend llvm::Error runCluster(llvm::ArrayRef<std::unique_ptr<TileBlock>> blocks, Schedule &schedule);

  bool canStep(Actor &actor);
  llvm::Error step(Actor &actor);
  Ring &ringOf(Actor &actor, mlir::Value pipeline);
  llvm::Error visibleStep(Actor &actor, mlir::Operation *op);
  llvm::Error visibleStep(Actor &actor, tileas::ProducerAcquireOp op);
  llvm::Error visibleStep(Actor &actor, tileas::ProducerWriteOp op);
  llvm::Error visibleStep(Actor &actor, tileas::ProducerCommitOp op);
  llvm::Error visibleStep(Actor &actor, tileas::ConsumerWaitOp op);
  llvm::Error visibleStep(Actor &actor, tileas::ConsumerReleaseOp op);
  ExchangeState &exchangeOf(Actor &actor, tileas::ClusterSumOp sum);
  SumRole roleOf(tileas::ClusterSumOp sum) const;
  bool canStep(Actor &actor, tileas::ClusterSumOp sum);
  llvm::Error visibleStep(Actor &actor, tileas::ClusterSumOp sum);
  llvm::Error pass(Actor &actor, tileas::ClusterSumOp sum, ExchangeState &own);
  llvm::Error add(Actor &actor, tileas::ClusterSumOp sum, ExchangeState &own);
  llvm::Error handledStep(Actor &actor, mlir::Operation *op);
  llvm::Error checkReleased(Actor &actor, mlir::Operation *op);
  void addWaiting(std::string &text);
  std::string whatFor(Actor &actor, mlir::Operation *op);

  friend class Meeting;

  std::vector<TileBlock *> peers;
  std::vector<std::unique_ptr<Actor>> actors;
  Copies copies;
  Meeting meeting;
  TensorCore tensorCore;
  bool hasEnded = false;
  llvm::MapVector<mlir::Operation *, std::vector<interpreter::OwnedMemory>> allocas;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, size_t> allocated;
};

/// Blocks that are one cluster, or a block alone, to their ends. A failed assert is in `failure` of the block; a fault
/// of the kernel is an error.
llvm::Error runCluster(llvm::ArrayRef<std::unique_ptr<TileBlock>> blocks, Schedule &schedule);

/// An error about an operation, with a note at the other one involved.
llvm::Error fault(mlir::Operation *op, const llvm::Twine &message, mlir::Operation *other, const llvm::Twine &note);

} // namespace tilewright::simulator

#endif
