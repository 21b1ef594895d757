// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/TensorCore.h"

#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Product.h"
#include "interpreter/Context.h"
#include "support/Diagnostics.h"
#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using interpreter::errorAt;

static constexpr unsigned width = 4; // bytes of an element, all of which have as many

static int numberOf(Actor &actor, mlir::Value tmem) {
  return std::get<Tmem>(actor.get(tmem)).number;
}

TensorCore::TensorCore(TileBlock &block)
    : block(block), memory(block.kernel.tmemBytes), ends(block.kernel.tmems.size(), MemoryBarrier(1)) {}

uint32_t TensorCore::number() const {
  return block.inCluster(block.numActors());
}

bool TensorCore::haveEnded(Actor &actor, mlir::Value value) {
  int number = numberOf(actor, value);
  return actor.isFirst() || ends[number].hasCompleted(parities.lookup({number, actor.number}));
}

// The first actor commits its products.
void TensorCore::waitForEnd(Actor &actor, mlir::Value value) {
  int number = numberOf(actor, value);
  if (actor.isFirst()) {
    Clock past = actor.clock;
    past.join(clock);
    ends[number].arrive(past);
  }
  parities[{number, actor.number}] ^= 1;
  actor.clock.join(ends[number].completed());
}

TensorCore::Access TensorCore::access(Actor &actor, Operation *op, mlir::Value tmem) {
  Event event = actor.makeEvent(op);
  int number = numberOf(actor, tmem);
  event.owner = block.kernel.tmems[number];
  return {memory.addEvent(event), block.kernel.tmemOffsets[number]};
}

llvm::Error TensorCore::step(Actor &actor, tileas::TmemMmaOp mma) {
  actor.makeEvent(mma);
  if (actor.isFirst())
    if (llvm::Error error = multiply(actor, mma))
      return error;
  if (!mma.getRunning())
    waitForEnd(actor, mma.getAcc());
  return llvm::Error::success();
}

void TensorCore::step(Actor &actor, tileas::TmemWaitOp wait) {
  actor.makeEvent(wait);
  waitForEnd(actor, wait.getAcc());
}

llvm::Error TensorCore::step(Actor &actor, tileas::TmemLoadOp load) {
  auto [event, base] = access(actor, load, load.getTmem());
  const Holding *holding = actor.holdingOf(load.getTile().getType());
  std::vector<Bits> bits;
  for (uint32_t element : holding->elements)
    bits.push_back(memory.read(event, actor.clock, base + int64_t(element) * width, width));
  actor.set(load.getTile(), Tile(elementOfType(load.getTile().getType()), holding, std::move(bits)));
  return check(load, actor.does("reads"));
}

llvm::Error TensorCore::step(Actor &actor, tileas::TmemStoreOp store) {
  auto [event, base] = access(actor, store, store.getTmem());
  const Tile &tile = actor.tile(store.getTile());
  for (uint32_t place : actor.originalsOf(tile))
    memory.write(event, actor.clock, base + int64_t(tile.holding->elements[place]) * width, width, tile.at(place));
  return check(store, actor.does("writes"));
}

llvm::Error TensorCore::multiply(Actor &actor, tileas::TmemMmaOp mma) {
  clock.join(actor.clock);
  Event event{this->number(), ++time, mma, nullptr};
  auto accessOf = [&](mlir::Value buffer) {
    event.owner = std::get<Buffer>(actor.get(buffer)).owner;
    return block.shared.addEvent(event);
  };
  uint32_t readsLhs = accessOf(mma.getLhs()), readsRhs = accessOf(mma.getRhs());
  int number = numberOf(actor, mma.getAcc());
  event.owner = block.kernel.tmems[number];
  uint32_t adds = memory.addEvent(event);

  tileas::TmemType type = mma.getAcc().getType();
  std::vector<uint32_t> elements(ShapedType::getNumElements(type.getShape()));
  std::iota(elements.begin(), elements.end(), 0);
  std::vector<Bits> before(elements.size());
  int64_t base = block.kernel.tmemOffsets[number];
  if (actor.tile(mma.getAccumulates()).bits->front())
    for (uint32_t element : elements)
      before[element] = memory.read(adds, clock, base + int64_t(element) * width, width);
  Factors factors{mma.getLhs(),
                  mma.getRhs(),
                  readerOfBuffer(mma.getLhs(), actor, readsLhs, clock),
                  readerOfBuffer(mma.getRhs(), actor, readsRhs, clock),
                  mma.getFormat(),
                  mma.getUnsignedLhs(),
                  mma.getUnsignedRhs()};
  std::vector<Bits> sums = multiplied(factors, type.getShape(), elementOfType(type.getElementType()), elements, before);
  clock.set(this->number(), time);
  for (uint32_t element : elements)
    memory.write(adds, clock, base + int64_t(element) * width, width, sums[element]);
  if (llvm::Error error = check(mma, "a product writes"))
    return error;
  return block.checkShared(mma, "a product reads", "a product writes");
}

llvm::Error TensorCore::check(Operation *op, const std::string &does) {
  auto conflict = memory.takeConflict();
  if (!conflict)
    return llvm::Error::success();
  const Event &earlier = conflict->earlier;
  auto tile = llvm::upper_bound(block.kernel.tmemOffsets, conflict->offset) - 1;
  int64_t element = (conflict->offset - *tile) / width;
  std::string what = does + " element " + std::to_string(element) + " of tensor memory";
  bool isProduct = earlier.op && isa<tileas::TmemMmaOp>(earlier.op);
  auto other = [&](llvm::StringRef verb) {
    return isProduct ? "a product " + verb.str() : block.whoDoes(earlier.actor, verb);
  };
  std::string wait = isProduct ? "a tileas.tmem_wait" : "a tileas.barrier";
  auto fault = [&](const std::string &message, llvm::StringRef note) {
    return llvm::createStringError(render(op->getLoc(), "error", message) +
                                   render(earlier.op->getLoc(), "note", note.str()));
  };
  switch (conflict->fault) {
  case SharedFault::NothingWritten:
    return errorAt(op, "read before data: " + what + ", which was never written");
  case SharedFault::WrittenTooEarly:
    return fault("early write: " + what + " without waiting until " + other("reads") + " it: expected " + wait +
                     " between them",
                 "read here");
  case SharedFault::TwoWriters:
    return fault("two writers: " + what + ", and so " + other("does") + ", without an order between them: expected " +
                     wait + " between them",
                 "the other write");
  default:
    return fault("read before data: " + what + " without waiting until " + other("writes") + " it: expected " + wait +
                     " between them",
                 "written here");
  }
}
