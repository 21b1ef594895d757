// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/Meeting.h"

#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"
#include "interpreter/TilePrint.h"
#include "interpreter/Walk.h"
#include "support/Diagnostics.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

llvm::Error Meeting::arrive(Actor &actor, Operation *at) {
  if (op && op != at)
    return fault(at,
                 actor.does("comes") + " to this " + at->getName().getStringRef() + " while " +
                     arrived.front()->does("waits") + " at another operation",
                 op, "the other operation");
  op = at;
  actor.makeEvent(op);
  clock.join(actor.clock);
  arrived.push_back(&actor);
  actor.isWaiting = true;
  if (auto print = dyn_cast<tileaa::PrintOp>(op))
    contribute(actor, print.getValues());
  if (auto assertion = dyn_cast<tileaa::AssertOp>(op))
    contribute(actor, assertion->getOperands());
  if (!isComplete())
    return llvm::Error::success();
  return isa<tileas::AgentsOp>(op) ? completeCluster() : complete();
}

llvm::Error Meeting::completeCluster() {
  Clock past;
  for (TileBlock *peer : block.cluster()) {
    if (!peer->meeting.isComplete() || !isa<tileas::AgentsOp>(peer->meeting.op))
      return llvm::Error::success();
    past.join(peer->meeting.clock);
  }
  for (TileBlock *peer : block.cluster()) {
    peer->meeting.clock = past;
    if (llvm::Error error = peer->meeting.complete())
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Meeting::complete() {
  if (auto print = dyn_cast<tileaa::PrintOp>(op))
    finish(print);
  if (auto assertion = dyn_cast<tileaa::AssertOp>(op))
    finish(assertion);
  auto agents = dyn_cast<tileas::AgentsOp>(std::exchange(op, nullptr));
  std::vector<Actor *> done = std::exchange(arrived, {});
  Clock past = std::exchange(clock, {});
  merged.clear();
  if (block.failure)
    return llvm::Error::success();
  if (agents)
    llvm::erase_if(expected, [](Actor *actor) { return actor->isProducer; });
  for (Actor *actor : done) {
    actor->isWaiting = false;
    actor->clock.join(past);
    if (agents) {
      actor->finish(); // no actor returns from there
      actor->enter(actor->isProducer ? agents.getProducer() : agents.getConsumer());
    } else {
      actor->pass();
    }
  }
  for (Actor *actor : done)
    if (llvm::Error error = actor->advance())
      return error;
  return llvm::Error::success();
}

// The elements that are the actor's become part of whole tiles.
void Meeting::contribute(Actor &actor, ValueRange tiles) {
  merged.resize(tiles.size());
  for (auto [whole, value] : llvm::zip_equal(merged, tiles)) {
    const Tile &part = actor.tile(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::vector<Bits> bits = whole.bits ? *whole.bits : std::vector<Bits>(type ? type.getNumElements() : 1);
    for (uint32_t place : actor.originalsOf(part))
      bits[part.holding ? part.holding->elements[place] : 0] = part.at(place);
    whole = Tile(part.element, nullptr, std::move(bits));
  }
}

static llvm::ArrayRef<int64_t> shapeOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getShape() : llvm::ArrayRef<int64_t>();
}

void Meeting::finish(tileaa::PrintOp print) {
  std::vector<interpreter::Tile> tiles;
  for (auto [tile, value] : llvm::zip_equal(merged, print.getValues())) {
    interpreter::Tile &whole = tiles.emplace_back(tile.element, shapeOf(value.getType()));
    llvm::copy(*tile.bits, whole.bits.begin());
  }
  block.printed += interpreter::formatTiles(print.getFormat(), tiles);
  for (Actor *actor : arrived)
    actor->set(print.getResultToken(), Token());
}

void Meeting::finish(tileaa::AssertOp assertion) {
  const std::vector<Bits> &condition = *merged.front().bits;
  auto element = llvm::find(condition, Bits(0));
  if (element == condition.end())
    return;
  block.failure.emplace();
  block.failure->message = assertion.getMessage().str();
  FileLineColLoc source = sourceOf(assertion.getLoc());
  block.failure->file = source ? source.getFilename().str() : "?";
  block.failure->line = source ? source.getLine() : 0;
  llvm::copy(block.index, block.failure->block);
  int64_t number = element - condition.begin();
  for (int64_t stride : interpreter::rowMajorStrides(shapeOf(assertion.getCondition().getType()))) {
    block.failure->position.push_back(number / stride);
    number %= stride;
  }
  block.end();
}
