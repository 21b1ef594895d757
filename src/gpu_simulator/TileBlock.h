// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One tile block of a launch: its actors, what they share, and the steps they take in the order that a schedule
// chooses. The tensor memory accelerator is an actor too: each box it has to copy is a step, and boxes come in any
// order.
#ifndef TILEWRIGHT_GPU_SIMULATOR_TILEBLOCK_H
#define TILEWRIGHT_GPU_SIMULATOR_TILEBLOCK_H

#include "gpu_simulator/Actor.h"
#include "gpu_simulator/GlobalMemory.h"
#include "gpu_simulator/Ring.h"
#include "gpu_simulator/SharedMemory.h"
#include "interpreter/memory/OwnedMemory.h"
#include "runtime/Scheduler.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::plans {

/// Chooses who is next.
class Schedule {
public:
  virtual ~Schedule();
  /// Of so many that can go on, at least one.
  virtual size_t choose(size_t count) = 0;
  /// Whether only the steps of pipelines are scheduled: acquire, wait, release, and boxes that arrive. Every other step
  /// is executed at once. That leaves nothing out: unordered accesses to shared memory are faults in any order, and a
  /// barrier does not depend on the order of arrival.
  virtual bool isForPipelines() const { return false; }
};

/// State of a launch that all its blocks share.
struct LaunchState {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> wanted = {1, 1, 1}; // what was asked for, which fewer blocks that persist go through
  int64_t steps = 0, stepLimit = 0;
  std::function<llvm::Error()> poll;
  std::function<uint64_t(llvm::StringRef)> addressOfGlobal;
};

class TileBlock {
public:
  TileBlock(Plan &plan, LaunchState &launch, std::array<int64_t, 3> block, llvm::ArrayRef<void *> arguments);
  ~TileBlock();

  /// To its end. A failed assert is in `failure`; what a plan may not do is an error.
  llvm::Error run(Schedule &schedule);

  std::string printed;
  std::optional<AssertFailure> failure;
  GlobalMemory global;
  bool hasAtomics = false; // of which the order shows

  // For operations.
  Plan &plan;
  LaunchState &launch;
  const std::array<int64_t, 3> index;
  SharedMemory shared;
  std::vector<Ring> rings;

  llvm::Error countStep(mlir::Operation *op);
  /// Memory of an alloca: the same for all actors that execute it for the nth time.
  llvm::Expected<uint64_t> allocate(tileaa::AllocaOp alloca, const Actor &actor);
  /// An error that names what the access is in conflict with; success if there is none.
  llvm::Error missingMemory(mlir::Operation *op);
  llvm::Error checkShared(mlir::Operation *op, const std::string &reads, const std::string &writes);

private:
  // Elements on their way between memory and shared memory: a box, or what a group of warps copies itself.
  struct Copy {
    enum Kind { Box, Own, Store } kind;
    mlir::Operation *op, *owner;
    Element element;
    std::vector<std::pair<int64_t, uint64_t>> elements; // offset in shared memory, address or 0 outside of the array
    Clock issued;
    uint32_t slot = 0;
    // A box, or what a producer's warps copy, makes a stage full; the others are of a group of their actor's.
    size_t ring = 0;
    int64_t stage = 0, actor = 0, group = 0;
  };
  // Of an actor: how many groups of copies it has made of a kind, and the past of those that are done.
  struct Groups {
    int64_t made = 0;
    std::vector<std::pair<int64_t, Clock>> done;
  };
  // Actors that wait for each other.
  struct Meeting {
    mlir::Operation *op = nullptr;
    std::vector<Actor *> arrived;
    Clock clock;
    std::vector<Tile> merged; // of all originals, whole tiles
  };

  bool canStep(Actor &actor);
  llvm::Error stepOutsideOfPipelines(llvm::ArrayRef<Actor *> ready, bool &found);
  llvm::Error step(Actor &actor);
  llvm::Error pipelineStep(Actor &actor, mlir::Operation *op);
  llvm::Error arrive(Actor &actor, mlir::Operation *op);
  llvm::Error completeMeeting();
  void contribute(Actor &actor, mlir::ValueRange tiles);
  void finishPrint(tileaa::PrintOp print);
  void finishAssert(tileaa::AssertOp assertion);
  llvm::Error tensorStep(Actor &actor, mlir::Operation *op);
  llvm::Error multiplyInTmem(Actor &actor, tileas::TmemMmaOp mma);
  llvm::Error checkTmem(Actor &actor, mlir::Operation *op, const std::string &does);
  /// Whether an actor whose products' end all wait for has started none, or they have ended.
  bool haveEnded(Actor &actor, mlir::Value tmem);
  void waitForEnd(Actor &actor, mlir::Value tmem);
  uint32_t tensorCore() const { return actors.size(); } // its number among actors, where there is tensor memory
  llvm::Error startBoxes(Actor &actor, tileas::TmaLoadOp load);
  void startStore(Actor &actor, tileas::TmaStoreOp store);
  template <typename Load>
  void startOwn(Actor &actor, Load load, const Holding &holding, llvm::function_ref<uint64_t(uint32_t)> addressAt);
  void start(Copy copy);
  llvm::Error finishCopy(size_t number);
  /// Whether all groups but the newest are done; `waited` learns of them.
  bool areDone(Copy::Kind kind, const Actor &actor, int64_t pending) const;
  void waitFor(Copy::Kind kind, Actor &actor, int64_t pending);
  uint32_t slotFor(const Clock &clock);
  llvm::Error deadlock();
  std::string whatFor(Actor &actor, mlir::Operation *op);

  std::vector<std::unique_ptr<Actor>> actors;
  std::vector<Actor *> together; // those that meet at barriers: all, or the consumers
  std::vector<Copy> copies;
  llvm::DenseMap<std::pair<int, unsigned>, Groups> groups; // by kind and actor
  std::vector<uint32_t> slots;                             // steps of each slot's copies so far
  Meeting meeting;
  bool hasEnded = false;
  SharedMemory tmem;
  // Products are done in their order; at the end of those before a commit its barrier completes a phase.
  Clock tensorClock;
  uint32_t tensorTime = 0;
  std::vector<MemoryBarrier> ends;                             // of each tile in tensor memory
  llvm::DenseMap<std::pair<int, unsigned>, unsigned> parities; // that an actor waits for, by tile and actor
  llvm::MapVector<mlir::Operation *, std::vector<interpreter::OwnedMemory>> allocas;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, size_t> allocated;
};

} // namespace tilewright::plans

#endif
