// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of pipelines, and the tensor memory accelerator: boxes between memory and shared memory, with the swizzle
// that the hardware has. Reading them through another layout gives other elements.
#include "gpu_simulator/Box.h"
#include "gpu_simulator/PointerAccess.h"
#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"
#include "interpreter/FloatFormat.h"
#include "interpreter/Walk.h"
#include "support/Diagnostics.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::plans;
using interpreter::errorAt;

// The buffer into which copies by threads go.
template <typename Load> static tileas::BufferType bufferOf(Load load) {
  return load.getPipeline().getType().getBuffers()[load.getIndex()];
}

bool plans::isVisible(Operation *op) {
  if (isa<tileas::MmaOp>(op))
    return llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<tileas::BufferType>(type); });
  if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
    return load.getOrdering().has_value();
  if (auto store = dyn_cast<tileaa::StorePtrOp>(op))
    return store.getOrdering().has_value();
  return isa<tileas::TmemStoreOp, tileas::TmemLoadOp, tileas::TmemMmaOp, tileas::TmemWaitOp, tileas::WriteOp,
             tileas::ReadOp, tileas::BarrierOp, tileas::AgentsOp, tileas::ProducerAcquireOp, tileas::ProducerCommitOp,
             tileas::ConsumerWaitOp, tileas::ConsumerReleaseOp, tileas::TmaLoadOp, tileas::TmaStoreOp,
             tileas::TmaStoreWaitOp, tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp, tileas::AsyncCommitOp,
             tileas::AsyncWaitOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp, tileaa::PrintOp, tileaa::AssertOp>(op);
}

llvm::Error TileBlock::pipelineStep(Actor &actor, Operation *op) {
  auto ringOf = [&](mlir::Value pipeline) -> Ring & { return rings[std::get<Pipeline>(actor.get(pipeline)).number]; };
  if (auto acquire = dyn_cast<tileas::ProducerAcquireOp>(op)) {
    Ring &ring = ringOf(acquire.getPipeline());
    if (ring.acquired)
      return llvm::createStringError(
          render(op->getLoc(), "error", "the stage is acquired again: expected a tileas.producer_commit before") +
          render(ring.acquired->getLoc(), "note", "acquired here"));
    ring.acquired = op;
    actor.clock.join(ring.empty[ring.producer.stage].completed());
    actor.makeEvent(op);
    ring.full[ring.producer.stage].arrive(actor.clock, ring.bytesOfStage());
    return llvm::Error::success();
  }
  if (auto commit = dyn_cast<tileas::ProducerCommitOp>(op)) {
    Ring &ring = ringOf(commit.getPipeline());
    if (!ring.acquired)
      return errorAt(op, "a stage is committed that was not acquired: expected a tileas.producer_acquire before");
    ring.acquired = nullptr;
    actor.makeEvent(op);
    ring.producer.advance(ring.type.getStages());
    return llvm::Error::success();
  }
  if (auto wait = dyn_cast<tileas::ConsumerWaitOp>(op)) {
    Ring &ring = ringOf(wait.getPipeline());
    if (ring.isOthers(actor.isFirst()))
      return llvm::Error::success();
    actor.clock.join(ring.full[ring.consumers[actor.number].stage].completed());
    actor.makeEvent(op);
    return llvm::Error::success();
  }
  if (auto release = dyn_cast<tileas::ConsumerReleaseOp>(op)) {
    Ring &ring = ringOf(release.getPipeline());
    if (ring.isOthers(actor.isFirst()))
      return llvm::Error::success();
    RingPlace &place = ring.consumers[actor.number];
    actor.makeEvent(op);
    int number = std::get<Pipeline>(actor.get(release.getPipeline())).number;
    for (const Actor::RunningProduct &product : actor.running)
      if (llvm::is_contained(product.stages, std::pair(number, place.passed)))
        return llvm::createStringError(
            render(op->getLoc(), "error",
                   "early release: " + actor.does("releases") +
                       " a stage that a product still reads: expected a tileas.mma_wait before") +
            render(product.op->getLoc(), "note", "started here"));
    if (!ring.full[place.stage].hasCompleted(place.parity))
      return errorAt(op, "early release: " + actor.does("releases") + " stage " + llvm::Twine(place.stage) +
                             ", which is not full yet; expected a tileas.consumer_wait before");
    // Of one who reads for all, the products before it have ended then.
    Clock past = actor.clock;
    if (ring.isByOne())
      past.join(tensorClock);
    if (!ring.empty[place.stage].arrive(past))
      return errorAt(op, "early release: stage " + llvm::Twine(place.stage) +
                             " is released by more consumers than the pipeline has");
    ring.lastRelease[actor.number] = op;
    place.advance(ring.type.getStages());
    return llvm::Error::success();
  }
  if (auto load = dyn_cast<tileas::TmaLoadOp>(op))
    return startBoxes(actor, load);
  if (auto store = dyn_cast<tileas::TmaStoreOp>(op))
    return startStore(actor, store), llvm::Error::success();
  if (auto wait = dyn_cast<tileas::TmaStoreWaitOp>(op))
    return waitFor(Copy::Store, actor, wait.getPending()), llvm::Error::success();
  if (auto load = dyn_cast<tileas::AsyncLoadOp>(op)) {
    auto type = tileas::typeWith(bufferOf(load).getElementType(), load.getLayout().getLayout());
    Box box(actor, load.getView(), load.getOffsets(), load.getDimMap(), type);
    const Holding &holding = plan.holding(type, actor.group);
    startOwn(actor, load, holding, [&](uint32_t place) { return box.at(holding.elements[place]).value_or(0); });
    return actor.takeFault(op);
  }
  if (auto load = dyn_cast<tileas::AsyncLoadPtrOp>(op)) {
    PointerAccess access(actor, load.getAddresses(), load.getMask());
    startOwn(actor, load, *actor.holdingOf(load.getAddresses().getType()),
             [&](uint32_t place) { return access.isOn(place) ? access.addresses.at(place) : 0; });
    return actor.takeFault(op);
  }
  if (isa<tileas::AsyncCommitOp>(op)) {
    ++groups[{Copy::Own, actor.number}].made;
    return llvm::Error::success();
  }
  if (isa<tileas::TmemStoreOp, tileas::TmemLoadOp, tileas::TmemWaitOp>(op))
    return tensorStep(actor, op);
  // After its release the buffer of a stage belongs to the producer.
  for (mlir::Value operand : op->getOperands())
    if (isa<tileas::BufferType>(operand.getType())) {
      const auto &buffer = std::get<Buffer>(actor.get(operand));
      if (buffer.pipeline >= 0 && rings[buffer.pipeline].consumers[actor.number].passed != buffer.released)
        return llvm::createStringError(
            render(op->getLoc(), "error",
                   "early release: " + actor.does("reads") +
                       " a stage after releasing it: expected the tileas.consumer_release after it") +
            render(rings[buffer.pipeline].lastRelease[actor.number]->getLoc(), "note", "released here"));
    }
  if (isa<tileas::TmemMmaOp>(op))
    return tensorStep(actor, op);
  const Handler *handler = handlers().find(op->getName());
  if (!handler)
    return errorAt(op, "plans on the host do not know '" + op->getName().getStringRef() + "'");
  if (llvm::Error error = (*handler)(op, actor))
    return error;
  if (llvm::Error error = actor.takeFault(op))
    return error;
  return checkShared(op, actor.does("reads"), actor.does("writes"));
}

//===-- boxes -------------------------------------------------------------===//

// A row of the swizzle's span is eight units of 16 bytes or fewer; the number of the row, which counts 128 bytes, is
// added to that of the unit without carry.
static int64_t swizzled(int64_t offset, int64_t span) {
  int64_t units = span / 16;
  return offset ^ ((offset >> 7 & (units - 1)) << 4);
}

// The elements of a box, row by row; address 0 outside of the array.
static std::vector<std::pair<int64_t, uint64_t>> elementsOfBox(const TensorMap &map, llvm::ArrayRef<int64_t> corner,
                                                               int64_t offset) {
  std::vector<std::pair<int64_t, uint64_t>> elements;
  unsigned width = interpreter::storageBytes(map.array.element);
  interpreter::forEachIndex(map.box, [&](int64_t number, llvm::ArrayRef<int64_t> index) {
    bool isInside = true;
    int64_t distance = 0;
    for (auto [dim, part] : llvm::enumerate(index)) {
      int64_t at = corner[dim] + part;
      isInside &= at >= 0 && at < map.array.shape[dim];
      distance += at * map.array.strides[dim];
    }
    elements.push_back(
        {swizzled(offset + number * width, map.swizzle), isInside ? map.array.base + distance * width : 0});
  });
  return elements;
}

static int64_t bytesOfBox(const TensorMap &map) {
  int64_t bytes = interpreter::storageBytes(map.array.element);
  for (int64_t extent : map.box)
    bytes *= extent;
  return bytes;
}

//===-- copies ------------------------------------------------------------===//

// A slot's copies are one after the other, as whoever starts the next knows that the last is done.
uint32_t TileBlock::slotFor(const Clock &clock) {
  for (auto [slot, steps] : llvm::enumerate(slots))
    if (clock.of(actors.size() + slot) >= steps)
      return slot;
  slots.push_back(0);
  return slots.size() - 1;
}

void TileBlock::start(Copy copy) {
  copy.slot = slotFor(copy.issued);
  ++slots[copy.slot];
  copies.push_back(std::move(copy));
}

static std::string notAcquired(const Actor &actor) {
  return "early write: " + actor.does("fills") +
         " a stage that is not acquired: expected a tileas.producer_acquire before";
}

llvm::Error TileBlock::startBoxes(Actor &actor, tileas::TmaLoadOp load) {
  size_t number = std::get<Pipeline>(actor.get(load.getPipeline())).number;
  Ring &ring = rings[number];
  if (!ring.acquired)
    return errorAt(load, notAcquired(actor));
  actor.makeEvent(load);
  const auto &map = std::get<TensorMap>(actor.get(load.getDesc()));
  llvm::SmallVector<int64_t, 5> corner;
  for (mlir::Value offset : load.getOffsets())
    corner.push_back(actor.integer(offset));
  int64_t place = ring.offsetOf(ring.producer.stage, load.getIndex());
  for (uint64_t box = 0; box != load.getBoxes(); ++box) {
    Copy copy{Copy::Box, load, ring.origin, map.array.element, elementsOfBox(map, corner, place), actor.clock};
    copy.ring = number;
    copy.stage = ring.producer.stage;
    start(std::move(copy));
    place += bytesOfBox(map);
    corner[load.getSplitDim()] += map.box[load.getSplitDim()];
  }
  return llvm::Error::success();
}

// By one thread. Each store is a group.
void TileBlock::startStore(Actor &actor, tileas::TmaStoreOp store) {
  if (!actor.isFirst())
    return;
  actor.makeEvent(store);
  const auto &map = std::get<TensorMap>(actor.get(store.getDesc()));
  const auto &buffer = std::get<Buffer>(actor.get(store.getBuffer()));
  llvm::SmallVector<int64_t, 5> corner;
  for (mlir::Value offset : store.getOffsets())
    corner.push_back(actor.integer(offset));
  int64_t place = buffer.offset;
  for (uint64_t box = 0; box != store.getBoxes(); ++box) {
    Copy copy{Copy::Store, store, buffer.owner, map.array.element, elementsOfBox(map, corner, place), actor.clock};
    copy.actor = actor.number;
    copy.group = groups[{Copy::Store, actor.number}].made;
    start(std::move(copy));
    place += bytesOfBox(map);
    corner[store.getSplitDim()] += map.box[store.getSplitDim()];
  }
  ++groups[{Copy::Store, actor.number}].made;
}

// Of the originals of a layout, each thread its own.
template <typename Load>
void TileBlock::startOwn(Actor &actor, Load load, const Holding &holding,
                         llvm::function_ref<uint64_t(uint32_t)> addressAt) {
  if (load.getCondition() && !actor.tile(load.getCondition()).bits->front())
    return;
  Ring &ring = rings[std::get<Pipeline>(actor.get(load.getPipeline())).number];
  // A producer fills its own stage.
  if (!load.getStage() && !ring.acquired)
    return actor.refuse(notAcquired(actor));
  int64_t stage = load.getStage() ? actor.integer(load.getStage()) : ring.producer.stage;
  if (stage < 0 || stage >= ring.type.getStages())
    return actor.refuse("copies into stage " + llvm::Twine(stage) + " of a pipeline of " +
                        llvm::Twine(ring.type.getStages()));
  actor.makeEvent(load);
  tileas::BufferType buffer = bufferOf(load);
  Element element = elementOfType(buffer.getElementType());
  llvm::ArrayRef<uint32_t> offsets = plan.elementOffsets(buffer);
  int64_t place = ring.offsetOf(stage, load.getIndex());
  Copy copy{Copy::Own, load, ring.origin, element, {}, actor.clock};
  for (uint32_t original : holding.originals)
    copy.elements.push_back({place + int64_t(offsets[holding.elements[original]]) * interpreter::storageBytes(element),
                             addressAt(original)});
  copy.actor = actor.number;
  copy.group = groups[{Copy::Own, actor.number}].made;
  if (!load.getStage()) {
    copy.kind = Copy::Box;
    copy.ring = &ring - rings.data();
    copy.stage = stage;
  }
  start(std::move(copy));
}

// Boxes of tf32 are rounded on their way.
static Bits bitsBrought(Bits bits, Element element) {
  return element == Element::TF32 ? formatOf(element).encode(formatOf(Element::F32).decode(bits)) : bits;
}

llvm::Error TileBlock::finishCopy(size_t number) {
  Copy copy = std::move(copies[number]);
  copies.erase(copies.begin() + number);
  uint32_t actor = actors.size() + copy.slot;
  Event event{actor, slots[copy.slot], copy.op, copy.owner};
  copy.issued.set(actor, event.time);
  uint32_t recorded = shared.addEvent(event);
  unsigned width = interpreter::storageBytes(copy.element);
  for (auto [offset, address] : copy.elements) {
    if (copy.kind != Copy::Store)
      shared.write(recorded, copy.issued, offset, width,
                   address ? bitsBrought(global.read(address, copy.element), copy.element) : 0);
    else if (Bits bits = shared.read(recorded, copy.issued, offset, width); address)
      global.write(address, copy.element, bits);
  }
  if (copy.kind == Copy::Box)
    rings[copy.ring].full[copy.stage].bring(copy.issued, copy.elements.size() * width);
  else
    groups[{copy.kind, copy.actor}].done.push_back({copy.group, copy.issued});
  if (global.missing())
    return missingMemory(copy.op);
  return checkShared(copy.op, "a copy reads", "a copy writes");
}

bool TileBlock::areDone(Copy::Kind kind, const Actor &actor, int64_t pending) const {
  auto found = groups.find({kind, actor.number});
  int64_t waited = found == groups.end() ? 0 : found->second.made - pending;
  return llvm::none_of(
      copies, [&](const Copy &copy) { return copy.kind == kind && copy.actor == actor.number && copy.group < waited; });
}

void TileBlock::waitFor(Copy::Kind kind, Actor &actor, int64_t pending) {
  Groups &own = groups[{kind, actor.number}];
  for (auto &[group, clock] : own.done)
    if (group < own.made - pending)
      actor.clock.join(clock);
  llvm::erase_if(own.done, [&](auto &entry) { return entry.first < own.made - pending; });
}
