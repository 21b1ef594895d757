// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor memory, and the products that one thread starts there. A product is done as soon as it is started, but nobody
// knows: what it has read and written is in the past of the tensor core's clock alone, which others join where they
// wait for its end, or where a stage that it released is filled. So who reads sums too early, or fills a stage that is
// still read, is found in whichever order they ran.
#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Product.h"
#include "interpreter/Context.h"
#include "support/Diagnostics.h"
#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::plans;
using interpreter::errorAt;

static constexpr unsigned width = 4; // bytes of an element, all of which have as many

static int numberOf(Actor &actor, mlir::Value tmem) {
  return std::get<Tmem>(actor.get(tmem)).number;
}

bool TileBlock::haveEnded(Actor &actor, mlir::Value value) {
  int number = numberOf(actor, value);
  return actor.isFirst() || ends[number].hasCompleted(parities.lookup({number, actor.number}));
}

// The first actor commits what it has started.
void TileBlock::waitForEnd(Actor &actor, mlir::Value value) {
  int number = numberOf(actor, value);
  if (actor.isFirst()) {
    Clock past = actor.clock;
    past.join(tensorClock);
    ends[number].arrive(past);
  }
  parities[{number, actor.number}] ^= 1;
  actor.clock.join(ends[number].completed());
}

llvm::Error TileBlock::tensorStep(Actor &actor, Operation *op) {
  Event event = actor.makeEvent(op);
  if (auto mma = dyn_cast<tileas::TmemMmaOp>(op)) {
    if (actor.isFirst())
      if (llvm::Error error = multiplyInTmem(actor, mma))
        return error;
    if (!mma.getRunning())
      waitForEnd(actor, mma.getAcc());
    return llvm::Error::success();
  }
  if (auto wait = dyn_cast<tileas::TmemWaitOp>(op)) {
    waitForEnd(actor, wait.getAcc());
    return llvm::Error::success();
  }
  auto load = dyn_cast<tileas::TmemLoadOp>(op);
  mlir::Value memory = load ? load.getTmem() : cast<tileas::TmemStoreOp>(op).getTmem();
  int number = numberOf(actor, memory);
  event.owner = plan.tmems[number];
  uint32_t access = tmem.addEvent(event);
  int64_t base = plan.tmemOffsets[number];
  if (load) {
    const Holding *holding = actor.holdingOf(load.getTile().getType());
    std::vector<Bits> bits;
    for (uint32_t element : holding->elements)
      bits.push_back(tmem.read(access, actor.clock, base + int64_t(element) * width, width));
    actor.set(load.getTile(), Tile(elementOfType(load.getTile().getType()), holding, std::move(bits)));
  } else {
    const Tile &tile = actor.tile(cast<tileas::TmemStoreOp>(op).getTile());
    for (uint32_t place : actor.originalsOf(tile))
      tmem.write(access, actor.clock, base + int64_t(tile.holding->elements[place]) * width, width, tile.at(place));
  }
  return checkTmem(actor, op, actor.does(load ? "reads" : "writes"));
}

llvm::Error TileBlock::multiplyInTmem(Actor &actor, tileas::TmemMmaOp mma) {
  tensorClock.join(actor.clock);
  Event event{tensorCore(), ++tensorTime, mma, nullptr};
  auto accessOf = [&](mlir::Value buffer) {
    event.owner = std::get<Buffer>(actor.get(buffer)).owner;
    return shared.addEvent(event);
  };
  uint32_t readsLhs = accessOf(mma.getLhs()), readsRhs = accessOf(mma.getRhs());
  int number = numberOf(actor, mma.getAcc());
  event.owner = plan.tmems[number];
  uint32_t adds = tmem.addEvent(event);

  tileas::TmemType type = mma.getAcc().getType();
  std::vector<uint32_t> elements(ShapedType::getNumElements(type.getShape()));
  std::iota(elements.begin(), elements.end(), 0);
  std::vector<Bits> before(elements.size());
  int64_t base = plan.tmemOffsets[number];
  if (actor.tile(mma.getAccumulates()).bits->front())
    for (uint32_t element : elements)
      before[element] = tmem.read(adds, tensorClock, base + int64_t(element) * width, width);
  Factors factors{mma.getLhs(),
                  mma.getRhs(),
                  readerOfBuffer(mma.getLhs(), actor, readsLhs, tensorClock),
                  readerOfBuffer(mma.getRhs(), actor, readsRhs, tensorClock),
                  mma.getFormat(),
                  mma.getUnsignedLhs(),
                  mma.getUnsignedRhs()};
  std::vector<Bits> sums = multiplied(factors, type.getShape(), elementOfType(type.getElementType()), elements, before);
  tensorClock.set(tensorCore(), tensorTime);
  for (uint32_t element : elements)
    tmem.write(adds, tensorClock, base + int64_t(element) * width, width, sums[element]);
  if (llvm::Error error = checkTmem(actor, mma, "a product writes"))
    return error;
  return checkShared(mma, "a product reads", "a product writes");
}

llvm::Error TileBlock::checkTmem(Actor &actor, Operation *op, const std::string &does) {
  auto conflict = tmem.takeConflict();
  if (!conflict)
    return llvm::Error::success();
  const Event &earlier = conflict->earlier;
  auto tile = llvm::upper_bound(plan.tmemOffsets, conflict->offset) - 1;
  int64_t element = (conflict->offset - *tile) / width;
  std::string what = does + " element " + std::to_string(element) + " of tensor memory";
  bool isProduct = earlier.op && isa<tileas::TmemMmaOp>(earlier.op);
  auto other = [&](llvm::StringRef verb) {
    return isProduct ? "a product " + verb.str() : actors[earlier.actor]->does(verb);
  };
  std::string wait = isProduct ? "a tileas.tmem_wait" : "a tileas.barrier";
  auto fault = [&](const std::string &message, llvm::StringRef note) {
    return llvm::createStringError(render(op->getLoc(), "error", message) +
                                   render(earlier.op->getLoc(), "note", note.str()));
  };
  switch (conflict->fault) {
  case SharedFault::NothingWritten:
    return errorAt(op, "read before data: " + what + ", which nobody has written");
  case SharedFault::WrittenTooEarly:
    return fault("early write: " + what + " without waiting until " + other("reads") + " it: expected " + wait +
                     " between them",
                 "read here");
  case SharedFault::TwoWriters:
    return fault("two writers: " + what + ", and so " + other("does") + ", and nothing orders them: expected " + wait +
                     " between them",
                 "the other write");
  default:
    return fault("read before data: " + what + " without waiting until " + other("writes") + " it: expected " + wait +
                     " between them",
                 "written here");
  }
}
