// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_GPU_SIMULATOR_MEETING_H
#define TILEWRIGHT_GPU_SIMULATOR_MEETING_H

#include "gpu_simulator/Actor.h"

namespace tilewright::simulator {

class TileBlock;

/// Actors that wait for each other: at barriers, at the start of agents, and where the block prints or asserts. Agents
/// start in all blocks of a cluster together.
class Meeting {
public:
  explicit Meeting(TileBlock &block) : block(block) {}

  /// Adds an actor to wait for: all of them, or the consumers after the start of agents.
  void expect(Actor &actor) { expected.push_back(&actor); }
  /// An actor arrives; the last one lets all of them continue.
  llvm::Error arrive(Actor &actor, mlir::Operation *op);

private:
  bool isComplete() const { return op && arrived.size() == expected.size(); }
  llvm::Error complete();
  llvm::Error completeCluster();
  void contribute(Actor &actor, mlir::ValueRange tiles);
  void finish(tileaa::PrintOp print);
  void finish(tileaa::AssertOp assertion);

  TileBlock &block;
  std::vector<Actor *> expected;
  mlir::Operation *op = nullptr; // null while no actor waits
  std::vector<Actor *> arrived;
  Clock clock;              // of those who have arrived
  std::vector<Tile> merged; // of all originals, whole tiles
};

} // namespace tilewright::simulator

#endif
