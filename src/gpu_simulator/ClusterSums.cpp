// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the blocks of a cluster: a block passes its tile through a buffer in the shared memory of another one.
#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using interpreter::errorAt;

ExchangeState &TileBlock::exchangeOf(Actor &actor, tileas::ClusterSumOp sum) {
  return exchanges[std::get<Exchange>(actor.get(sum.getExchange())).number];
}

SumRole TileBlock::roleOf(tileas::ClusterSumOp sum) const {
  unsigned distance = sum.getDistance();
  return rank % distance ? SumRole::None : rank % (2 * distance) ? SumRole::Passes : SumRole::Adds;
}

// The parity of a round is full or empty; before the first round a buffer is empty, and behind the first step of each.
bool TileBlock::canStep(Actor &actor, tileas::ClusterSumOp sum) {
  ExchangeState &own = exchangeOf(actor, sum);
  unsigned parity = actor.integer(sum.getRound()) & 1;
  switch (roleOf(sum)) {
  case SumRole::None:
    return true;
  case SumRole::Adds:
    return own.full[sum.getStep()].hasCompleted(parity);
  case SumRole::Passes:
    return own.empty.hasCompleted(sum.getStep() ? parity : parity ^ 1);
  }
  llvm_unreachable("a role");
}

llvm::Error TileBlock::visibleStep(Actor &actor, tileas::ClusterSumOp sum) {
  ExchangeState &own = exchangeOf(actor, sum);
  int64_t given = actor.integer(sum.getRound()), round = own.rounds[actor.number][sum.getStep()]++;
  if ((given ^ round) & 1)
    return errorAt(sum, "is given round " + llvm::Twine(given) + ", expected " + llvm::Twine(round) + ", how often " +
                            actor.name() + " came here before");
  if (2 * sum.getDistance() > peers.size())
    return errorAt(sum, "adds tiles of CTAs " + llvm::Twine(sum.getDistance()) + " apart, and the cluster has " +
                            llvm::Twine(peers.size()));
  switch (roleOf(sum)) {
  case SumRole::None:
    actor.set(sum.getSum(), actor.tile(sum.getTile()));
    return llvm::Error::success();
  case SumRole::Adds:
    return add(actor, sum, own);
  case SumRole::Passes:
    return pass(actor, sum, own);
  }
  llvm_unreachable("a role");
}

static llvm::Error tooOften(tileas::ClusterSumOp sum) {
  return errorAt(sum, "more warps come here than the CTA has: expected consumers only");
}

llvm::Error TileBlock::pass(Actor &actor, tileas::ClusterSumOp sum, ExchangeState &own) {
  TileBlock &reader = *peers[rank - sum.getDistance()];
  ExchangeState &to = reader.exchanges[&own - exchanges.data()];
  Tile tile = actor.tile(sum.getTile());
  llvm::ArrayRef<uint32_t> offsets = kernel.elementOffsets(sum.getExchange().getType().getBuffer());
  unsigned width = interpreter::storageBytes(tile.element);
  actor.clock.join(own.empty.completed());
  Event event = actor.makeEvent(sum);
  event.owner = to.origin;
  uint32_t access = reader.shared.addEvent(event);
  for (uint32_t place : actor.originalsOf(tile))
    reader.shared.write(access, actor.clock, to.offset + int64_t(offsets[tile.holding->elements[place]]) * width, width,
                        tile.at(place));
  actor.set(sum.getSum(), tile);
  if (!to.full[sum.getStep()].arrive(actor.clock))
    return tooOften(sum);
  return reader.checkShared(sum, actor.does("reads"), actor.does("writes"));
}

static Bits addElements(Element element, Bits a, Bits b) {
  auto asFloat = [](Bits bits) { return llvm::bit_cast<float>(static_cast<uint32_t>(bits)); };
  return element == Element::F32 ? llvm::bit_cast<uint32_t>(asFloat(a) + asFloat(b))
                                 : interpreter::truncate(a + b, element);
}

llvm::Error TileBlock::add(Actor &actor, tileas::ClusterSumOp sum, ExchangeState &own) {
  Tile tile = actor.tile(sum.getTile());
  llvm::ArrayRef<uint32_t> offsets = kernel.elementOffsets(sum.getExchange().getType().getBuffer());
  unsigned width = interpreter::storageBytes(tile.element);
  actor.clock.join(own.full[sum.getStep()].completed());
  uint32_t access = actor.makeAccess(sum, own.origin);
  std::vector<Bits> bits(tile.holding->size());
  for (auto [place, element] : llvm::enumerate(tile.holding->elements))
    bits[place] = addElements(tile.element, tile.at(place),
                              shared.read(access, actor.clock, own.offset + int64_t(offsets[element]) * width, width));
  actor.set(sum.getSum(), Tile(tile.element, tile.holding, std::move(bits)));
  unsigned next = 2 * sum.getDistance();
  TileBlock &writer = *peers[rank + (next < peers.size() && rank % (2 * next) == 0 ? next : 1)];
  if (!writer.exchanges[&own - exchanges.data()].empty.arrive(actor.clock))
    return tooOften(sum);
  return checkShared(sum, actor.does("reads"), actor.does("writes"));
}
