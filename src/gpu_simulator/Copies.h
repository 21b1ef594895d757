// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of a block in flight: boxes that the tensor memory accelerator loads and stores, and elements
// that threads copy asynchronously. Each is a step that a schedule chooses, in any order.
#ifndef TILEWRIGHT_GPU_SIMULATOR_COPIES_H
#define TILEWRIGHT_GPU_SIMULATOR_COPIES_H

#include "gpu_simulator/Actor.h"

namespace tilewright::simulator {

class TileBlock;
struct Ring;

/// The error of a producer that fills a stage without having acquired it.
std::string notAcquired(const Actor &actor);

class Copies {
public:
  explicit Copies(TileBlock &block) : block(block) {}

  llvm::Error start(Actor &actor, tileas::TmaLoadOp load);
  void start(Actor &actor, tileas::TmaStoreOp store);
  llvm::Error start(Actor &actor, tileas::AsyncLoadOp load);
  llvm::Error start(Actor &actor, tileas::AsyncLoadPtrOp load);
  /// Ends a group of asynchronous copies of the actor's.
  void commit(Actor &actor) { ++groups[{Copy::Own, actor.number}].made; }

  size_t size() const { return copies.size(); }
  /// Whether one fills no stage of a pipeline.
  bool isOutsideOfPipelines(size_t number) const { return copies[number].kind != Copy::Box; }
  /// Executes a copy.
  llvm::Error finish(size_t number);

  /// Whether all groups of the actor's asynchronous copies, or of its stores, are done but the newest.
  bool areDone(const Actor &actor, tileas::AsyncWaitOp wait) const {
    return areDone(Copy::Own, actor, wait.getPending());
  }
  bool areDone(const Actor &actor, tileas::TmaStoreWaitOp wait) const {
    return areDone(Copy::Store, actor, wait.getPending());
  }
  /// Orders these groups before the actor's next steps.
  void waitFor(Actor &actor, tileas::AsyncWaitOp wait) { waitFor(Copy::Own, actor, wait.getPending()); }
  void waitFor(Actor &actor, tileas::TmaStoreWaitOp wait) { waitFor(Copy::Store, actor, wait.getPending()); }

  /// A slot without a copy.
  void reserveSlot() { slots.push_back(~0u); }

private:
  // Elements in flight between memory and shared memory: a box, or the copies of a group of warps.
  struct Copy {
    enum Kind { Box, Own, Store } kind;
    mlir::Operation *op, *owner;
    Element element;
    std::vector<std::pair<int64_t, uint64_t>> elements; // offset in shared memory, address or 0 outside of the array
    Clock issued;
    uint32_t slot = 0;
    TileBlock *into = nullptr; // in whose shared memory the elements are
    // A box, or a copy by a producer's warps, fills a stage; the others belong to a group of their actor's.
    size_t ring = 0;
    int64_t stage = 0, actor = 0, group = 0;
  };
  // Of an actor: the number of its groups of copies of a kind, and the past of those that have ended.
  struct Groups {
    int64_t made = 0;
    std::vector<std::pair<int64_t, Clock>> done;
  };

  template <typename Load>
  void startOwn(Actor &actor, Load load, const Holding &holding, llvm::function_ref<uint64_t(uint32_t)> addressAt);
  void start(Copy copy);
  void startBoxes(Actor &actor, tileas::TmaLoadOp load, const Ring &ring, size_t number, TileBlock &into,
                  uint64_t first, uint64_t count);
  uint32_t slotFor(const Clock &clock);
  bool areDone(Copy::Kind kind, const Actor &actor, int64_t pending) const;
  void waitFor(Copy::Kind kind, Actor &actor, int64_t pending);

  TileBlock &block;
  std::vector<Copy> copies;
  llvm::DenseMap<std::pair<int, unsigned>, Groups> groups; // by kind and actor
  std::vector<uint32_t> slots;                             // steps of each slot's copies so far
};

} // namespace tilewright::simulator

#endif
