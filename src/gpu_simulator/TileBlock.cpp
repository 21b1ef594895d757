// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/TileBlock.h"

#include "interpreter/Context.h"
#include "interpreter/TilePrint.h"
#include "interpreter/Walk.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::plans;
using interpreter::errorAt;

// An operation takes between 0.1 and 1000 microseconds; a person notices a tenth of a second.
static constexpr int64_t stepsBetweenPolls = 256;

Schedule::~Schedule() = default;

static void setArguments(Plan &plan, Actor &actor, llvm::ArrayRef<void *> arguments);

// A fault of the plan, and the other operation that has part in it.
static llvm::Error fault(Operation *op, const llvm::Twine &message, Operation *other, const llvm::Twine &note) {
  return llvm::createStringError(render(op->getLoc(), "error", message.str()) +
                                 render(other->getLoc(), "note", note.str()));
}

TileBlock::TileBlock(Plan &plan, LaunchState &launch, std::array<int64_t, 3> index, llvm::ArrayRef<void *> arguments)
    : plan(plan), launch(launch), index(index), shared(plan.sharedBytes), tmem(plan.tmemBytes),
      ends(plan.tmems.size(), MemoryBarrier(1)) {
  unsigned count = plan.groups + plan.hasProducer;
  for (unsigned number = 0; number != count; ++number) {
    bool isProducer = number == plan.groups;
    // The warps of an agent count from zero.
    WarpGroup group =
        isProducer ? WarpGroup{0, plan.producerWarps} : WarpGroup{number * plan.warpsPerGroup, plan.warpsPerGroup};
    actors.push_back(std::make_unique<Actor>(plan, *this, number, group, isProducer));
    together.push_back(actors.back().get());
    setArguments(plan, *actors.back(), arguments);
    actors.back()->enter(plan.function.getBody());
  }
  for (tileas::CreatePipelineOp create : plan.pipelines)
    rings.emplace_back(create, plan.offsetOf(create), count);
  // The tensor core's steps have a slot that no copy gets.
  if (!plan.tmems.empty())
    slots.push_back(~0u);
}
TileBlock::~TileBlock() = default;

llvm::Error TileBlock::countStep(Operation *op) {
  ++launch.steps;
  if (launch.stepLimit && launch.steps > launch.stepLimit)
    return errorAt(op, "the launch has executed " + llvm::Twine(launch.stepLimit) +
                           " operations, the limit it was given; give a higher one if it is no endless loop");
  if (launch.poll && launch.steps % stepsBetweenPolls == 0)
    return launch.poll();
  return llvm::Error::success();
}

llvm::Error TileBlock::missingMemory(Operation *op) {
  return errorAt(op, llvm::formatv("access to address {0:x}, where the process has no memory that it may use, in block "
                                   "({1}, {2}, {3}); an index is out of bounds, or an argument does not match what the "
                                   "kernel takes for granted",
                                   *global.missing(), index[0], index[1], index[2])
                         .str());
}

//===-- parameters --------------------------------------------------------===//

// A parameter by its number, or a constant in an array of its own.
static int64_t launchValue(Attribute what, Plan &plan, llvm::ArrayRef<void *> arguments) {
  if (auto constant = dyn_cast<ArrayAttr>(what))
    return cast<IntegerAttr>(constant[0]).getInt();
  int64_t number = cast<IntegerAttr>(what).getInt();
  Element element = elementOfType(plan.function.getArgument(number).getType());
  Bits bits = interpreter::readBytes(static_cast<const char *>(arguments[number]), interpreter::storageBytes(element));
  return interpreter::signExtend(bits, element);
}

static TensorMap makeTensorMap(DictionaryAttr description, Plan &plan, llvm::ArrayRef<void *> arguments) {
  TensorMap map;
  map.array.base = launchValue(description.get("base"), plan, arguments);
  map.array.element = elementOfType(cast<TypeAttr>(description.get("element")).getValue());
  for (Attribute extent : cast<ArrayAttr>(description.get("shape")))
    map.array.shape.push_back(launchValue(extent, plan, arguments));
  for (Attribute stride : cast<ArrayAttr>(description.get("strides")))
    map.array.strides.push_back(launchValue(stride, plan, arguments));
  llvm::append_range(map.box, cast<DenseI64ArrayAttr>(description.get("box")).asArrayRef());
  map.swizzle = cast<IntegerAttr>(description.get("swizzle")).getInt();
  return map;
}

static void setArguments(Plan &plan, Actor &actor, llvm::ArrayRef<void *> arguments) {
  auto maps = plan.function->getAttrOfType<ArrayAttr>(tileas::tmaDescsAttr);
  size_t nextMap = 0, nextExtent = 0;
  for (BlockArgument argument : plan.function.getArguments()) {
    if (isa<tileas::TmaDescType>(argument.getType())) {
      actor.set(argument, makeTensorMap(cast<DictionaryAttr>(maps[nextMap++]), plan, arguments));
      continue;
    }
    Element element = elementOfType(argument.getType());
    if (argument.getArgNumber() >= arguments.size()) { // of a persistent kernel
      actor.set(argument, Tile::scalar(element, actor.block.launch.wanted[nextExtent++]));
      continue;
    }
    const char *data = static_cast<const char *>(arguments[argument.getArgNumber()]);
    actor.set(argument, Tile::scalar(element, interpreter::readBytes(data, interpreter::storageBytes(element))));
  }
}

llvm::Expected<uint64_t> TileBlock::allocate(tileaa::AllocaOp alloca, const Actor &actor) {
  size_t number = allocated[{alloca, actor.number}]++;
  std::vector<interpreter::OwnedMemory> &memories = allocas[alloca];
  if (number == memories.size()) {
    memories.emplace_back(alloca.getBytes(), alloca.getAlignment());
    if (!memories.back().address())
      return errorAt(alloca, "there is no memory of " + llvm::Twine(alloca.getBytes()) + " bytes");
    global.addOwn(memories.back().address(), memories.back().bytes());
  }
  return memories[number].address();
}

//===-- schedules ---------------------------------------------------------===//

llvm::Error TileBlock::run(Schedule &schedule) {
  for (auto &actor : actors)
    if (llvm::Error error = actor->advance())
      return error;
  while (!hasEnded) {
    // Actors by number, then copies.
    llvm::SmallVector<Actor *> ready;
    bool isDone = true;
    for (auto &actor : actors) {
      isDone &= !actor->next();
      if (actor->next() && canStep(*actor))
        ready.push_back(actor.get());
    }
    if (schedule.isForPipelines()) {
      bool found = false;
      if (llvm::Error error = stepOutsideOfPipelines(ready, found))
        return error;
      if (found)
        continue;
    }
    size_t count = ready.size() + copies.size();
    if (count == 0)
      return isDone ? llvm::Error::success() : deadlock();
    size_t chosen = schedule.choose(count);
    if (llvm::Error error = chosen < ready.size() ? step(*ready[chosen]) : finishCopy(chosen - ready.size()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error TileBlock::stepOutsideOfPipelines(llvm::ArrayRef<Actor *> ready, bool &found) {
  found = true;
  for (Actor *actor : ready)
    if (!isa<tileas::ProducerAcquireOp, tileas::ConsumerWaitOp, tileas::ConsumerReleaseOp>(actor->next()))
      return step(*actor);
  for (auto [number, copy] : llvm::enumerate(copies))
    if (copy.kind != Copy::Box)
      return finishCopy(number);
  found = false;
  return llvm::Error::success();
}

bool TileBlock::canStep(Actor &actor) {
  if (actor.isWaiting)
    return false;
  Operation *op = actor.next();
  if (auto acquire = dyn_cast<tileas::ProducerAcquireOp>(op)) {
    Ring &ring = rings[std::get<Pipeline>(actor.get(acquire.getPipeline())).number];
    return ring.empty[ring.producer.stage].hasCompleted(ring.producer.parity);
  }
  if (auto wait = dyn_cast<tileas::ConsumerWaitOp>(op)) {
    Ring &ring = rings[std::get<Pipeline>(actor.get(wait.getPipeline())).number];
    RingPlace &place = ring.consumers[actor.number];
    if (ring.isOthers(actor.isFirst()))
      return true;
    return ring.full[place.stage].hasCompleted(place.parity);
  }
  if (auto wait = dyn_cast<tileas::TmemWaitOp>(op))
    return haveEnded(actor, wait.getAcc());
  if (auto mma = dyn_cast<tileas::TmemMmaOp>(op))
    return mma.getRunning() || haveEnded(actor, mma.getAcc());
  if (auto wait = dyn_cast<tileas::AsyncWaitOp>(op))
    return areDone(Copy::Own, actor, wait.getPending());
  if (auto wait = dyn_cast<tileas::TmaStoreWaitOp>(op))
    return areDone(Copy::Store, actor, wait.getPending());
  return true;
}

llvm::Error TileBlock::step(Actor &actor) {
  Operation *op = actor.next();
  if (llvm::Error error = countStep(op))
    return error;
  if (llvm::Error error = actor.checkRunning(op))
    return error;
  if (auto wait = dyn_cast<tileas::AsyncWaitOp>(op)) {
    waitFor(Copy::Own, actor, wait.getPending());
    if (wait.getProducts())
      actor.endProducts(*wait.getProducts());
  }
  if (isa<tileas::BarrierOp, tileas::AgentsOp, tileas::AsyncWaitOp, tileaa::PrintOp, tileaa::AssertOp>(op))
    return arrive(actor, op);
  if (llvm::Error error = pipelineStep(actor, op))
    return error;
  actor.pass();
  return actor.advance();
}

//===-- where actors meet -------------------------------------------------===//

llvm::Error TileBlock::arrive(Actor &actor, Operation *op) {
  if (meeting.op && meeting.op != op)
    return fault(op,
                 actor.does("comes") + " to this " + op->getName().getStringRef() + " while " +
                     meeting.arrived.front()->does("waits") + " at another operation",
                 meeting.op, "the other operation");
  if (meeting.arrived.empty())
    meeting = {op, {}, {}, {}};
  actor.makeEvent(op);
  meeting.clock.join(actor.clock);
  meeting.arrived.push_back(&actor);
  actor.isWaiting = true;
  if (auto print = dyn_cast<tileaa::PrintOp>(op))
    contribute(actor, print.getValues());
  if (auto assertion = dyn_cast<tileaa::AssertOp>(op))
    contribute(actor, assertion->getOperands());
  return meeting.arrived.size() == together.size() ? completeMeeting() : llvm::Error::success();
}

llvm::Error TileBlock::completeMeeting() {
  Meeting done = std::exchange(meeting, {});
  if (auto print = dyn_cast<tileaa::PrintOp>(done.op)) {
    std::swap(meeting, done);
    finishPrint(print);
    std::swap(meeting, done);
    meeting = {};
  }
  if (auto assertion = dyn_cast<tileaa::AssertOp>(done.op)) {
    std::swap(meeting, done);
    finishAssert(assertion);
    std::swap(meeting, done);
    meeting = {};
    if (hasEnded)
      return llvm::Error::success();
  }
  auto agents = dyn_cast<tileas::AgentsOp>(done.op);
  if (agents)
    llvm::erase_if(together, [](Actor *actor) { return actor->isProducer; });
  for (Actor *actor : done.arrived) {
    actor->isWaiting = false;
    actor->clock.join(done.clock);
    if (agents) {
      actor->finish(); // nobody comes back from there
      actor->enter(actor->isProducer ? agents.getProducer() : agents.getConsumer());
    } else {
      actor->pass();
    }
  }
  for (Actor *actor : done.arrived)
    if (llvm::Error error = actor->advance())
      return error;
  return llvm::Error::success();
}

// The elements that are the actor's become part of whole tiles.
void TileBlock::contribute(Actor &actor, ValueRange tiles) {
  meeting.merged.resize(tiles.size());
  for (auto [whole, value] : llvm::zip_equal(meeting.merged, tiles)) {
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

void TileBlock::finishPrint(tileaa::PrintOp print) {
  std::vector<interpreter::Tile> tiles;
  for (auto [tile, value] : llvm::zip_equal(meeting.merged, print.getValues())) {
    interpreter::Tile &whole = tiles.emplace_back(tile.element, shapeOf(value.getType()));
    llvm::copy(*tile.bits, whole.bits.begin());
  }
  printed += interpreter::formatTiles(print.getFormat(), tiles);
  for (Actor *actor : meeting.arrived)
    actor->set(print.getResultToken(), Token());
}

void TileBlock::finishAssert(tileaa::AssertOp assertion) {
  const std::vector<Bits> &condition = *meeting.merged.front().bits;
  auto element = llvm::find(condition, Bits(0));
  if (element == condition.end())
    return;
  failure.emplace();
  failure->message = assertion.getMessage().str();
  FileLineColLoc source = sourceOf(assertion.getLoc());
  failure->file = source ? source.getFilename().str() : "?";
  failure->line = source ? source.getLine() : 0;
  llvm::copy(index, failure->block);
  int64_t number = element - condition.begin();
  for (int64_t stride : interpreter::rowMajorStrides(shapeOf(assertion.getCondition().getType()))) {
    failure->position.push_back(number / stride);
    number %= stride;
  }
  hasEnded = true;
}

//===-- who waits for what ------------------------------------------------===//

std::string TileBlock::whatFor(Actor &actor, Operation *op) {
  auto stageOf = [&](mlir::Value pipeline) -> Ring & { return rings[std::get<Pipeline>(actor.get(pipeline)).number]; };
  if (auto acquire = dyn_cast<tileas::ProducerAcquireOp>(op)) {
    Ring &ring = stageOf(acquire.getPipeline());
    int64_t missing = ring.empty[ring.producer.stage].missingArrivals();
    return llvm::formatv("for stage {0} to be empty: {1} of {2} consumers have not released it", ring.producer.stage,
                         missing, cast<tileas::CreatePipelineOp>(ring.origin).getConsumers())
        .str();
  }
  if (auto wait = dyn_cast<tileas::ConsumerWaitOp>(op)) {
    Ring &ring = stageOf(wait.getPipeline());
    int64_t stage = ring.consumers[actor.number].stage;
    const MemoryBarrier &full = ring.full[stage];
    std::string text = llvm::formatv("for stage {0} to be full: ", stage).str();
    if (full.missingArrivals())
      return text + "nobody has acquired it";
    return text + llvm::formatv("{0} bytes of its {1} are missing, and no copy is under way", full.missingBytes(),
                                ring.bytesOfStage())
                      .str();
  }
  if (isa<tileas::TmemWaitOp, tileas::TmemMmaOp>(op))
    return "for products to end, of which warp 0 has not come to this end";
  return "at a " + op->getName().getStringRef().str() + " for others to come there";
}

llvm::Error TileBlock::deadlock() {
  std::string text;
  bool isFirst = true;
  for (auto &actor : actors) {
    if (Operation *op = actor->next()) {
      text += render(op->getLoc(), isFirst ? "error" : "note",
                     (isFirst ? "deadlock: " : "") + actor->does("waits") + " " + whatFor(*actor, op));
      isFirst = false;
    }
  }
  for (auto &actor : actors)
    if (!actor->next())
      text += render(plan.function.getLoc(), "note",
                     actor->name() + (actor->group.count > 1 ? " have" : " has") + " ended");
  return llvm::createStringError(text);
}

llvm::Error TileBlock::checkShared(Operation *op, const std::string &reads, const std::string &writes) {
  auto conflict = shared.takeConflict();
  if (!conflict)
    return llvm::Error::success();
  const Event &earlier = conflict->earlier;
  std::string byte = " byte " + std::to_string(conflict->offset) + " of shared memory";
  auto other = [&](llvm::StringRef what) {
    if (earlier.actor < actors.size())
      return actors[earlier.actor]->does(what);
    return (isa<tileas::TmemMmaOp>(earlier.op) ? "a product " : "a copy ") + what.str();
  };
  // Copies of a producer, whichever they are.
  auto isProduced = [](Operation *copy) {
    auto load = dyn_cast_or_null<tileas::AsyncLoadPtrOp>(copy);
    return load ? load.isByProducer() : isa_and_nonnull<tileas::TmaLoadOp>(copy);
  };
  bool isStage = isProduced(op) || isProduced(earlier.op);
  llvm::StringRef wait =
      isStage                                                                      ? "tileas.consumer_wait"
      : earlier.op && isa<tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp>(earlier.op) ? "tileas.async_wait"
      : earlier.op && isa<tileas::TmemMmaOp>(earlier.op)                           ? "tileas.tmem_wait"
      : earlier.op && isa<tileas::TmaStoreOp>(earlier.op) ? "tileas.tma_store_wait and a tileas.barrier"
                                                          : "tileas.barrier";
  switch (conflict->fault) {
  case SharedFault::NothingWritten:
    return errorAt(op, "read before data: " + reads + byte + ", which nobody has written");
  case SharedFault::ReadTooEarly:
    return fault(op,
                 "read before data: " + reads + byte + " without waiting until " + other("writes") +
                     " it: expected a " + wait + " between them",
                 earlier.op, "written here");
  case SharedFault::WrittenTooEarly:
    return fault(op,
                 (isStage ? "early release: " : "early write: ") + writes + byte + " without waiting until " +
                     other("reads") + " it: expected " +
                     (isStage ? "the tileas.consumer_release after the read" : "a " + wait.str() + " between them"),
                 earlier.op, "read here");
  case SharedFault::OverwrittenEarly:
    return fault(earlier.op,
                 "early write: " + other("writes") + byte + ", where " + reads +
                     " another buffer that is needed until then: expected a " + wait + " between them",
                 op, "read here");
  case SharedFault::TwoWriters:
    return fault(op,
                 "two writers: " + writes + byte + ", and so " + other("does") +
                     ", and nothing orders them: expected a tileas.barrier between them",
                 earlier.op, "the other write");
  case SharedFault::Overwritten:
    return fault(op,
                 "overwritten: " + reads + byte +
                     ", where another buffer was written since: expected places that do "
                     "not overlap as long as both are needed",
                 earlier.op, "written here");
  }
  llvm_unreachable("all faults are listed");
}
