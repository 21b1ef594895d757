// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes have the swizzle of the hardware: reading them with another layout returns other elements.
#include "gpu_simulator/Copies.h"

#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Box.h"
#include "gpu_simulator/ops/PointerAccess.h"
#include "interpreter/Context.h"
#include "interpreter/FloatFormat.h"
#include "interpreter/Walk.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using interpreter::errorAt;

// The buffer into which copies by threads go.
template <typename Load> static tileas::BufferType bufferOf(Load load) {
  return load.getPipeline().getType().getBuffers()[load.getIndex()];
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

// A slot's copies are one after the other, as the actor that starts the next one has waited for the last.
uint32_t Copies::slotFor(const Clock &clock) {
  for (auto [slot, steps] : llvm::enumerate(slots))
    if (clock.of(block.inCluster(block.numActors() + slot)) >= steps)
      return slot;
  slots.push_back(0);
  return slots.size() - 1;
}

void Copies::start(Copy copy) {
  if (!copy.into)
    copy.into = &block;
  copy.slot = slotFor(copy.issued);
  ++slots[copy.slot];
  copies.push_back(std::move(copy));
}

std::string simulator::notAcquired(const Actor &actor) {
  return "early write: " + actor.does("fills") +
         " a stage that is not acquired: expected a tileas.producer_acquire before";
}

llvm::Error Copies::start(Actor &actor, tileas::TmaLoadOp load) {
  size_t number = std::get<Pipeline>(actor.get(load.getPipeline())).number;
  Ring &ring = block.rings[number];
  if (!ring.acquired)
    return errorAt(load, notAcquired(actor));
  if (llvm::Error error = actor.checkState(load, ring.producer))
    return error;
  actor.makeEvent(load);
  uint64_t boxes = load.getAllBoxes();
  if (!load.getShared() || !actor.tile(load.getShared()).bits->front()) {
    startBoxes(actor, load, ring, number, block, 0, boxes);
    return llvm::Error::success();
  }
  uint64_t share = boxes / block.cluster().size();
  for (TileBlock *peer : block.cluster())
    startBoxes(actor, load, ring, number, *peer, block.rank * share, share);
  return llvm::Error::success();
}

// So many boxes of a tile, into the shared memory of a block of the cluster.
void Copies::startBoxes(Actor &actor, tileas::TmaLoadOp load, const Ring &ring, size_t number, TileBlock &into,
                        uint64_t first, uint64_t count) {
  const auto &map = std::get<TensorMap>(actor.get(load.getDesc()));
  llvm::SmallVector<int64_t, 5> origin;
  for (mlir::Value offset : load.getOffsets())
    origin.push_back(actor.integer(offset));
  int64_t place = ring.offsetOf(ring.producer.stage, load.getIndex());
  uint64_t rows = load.getRowBoxes();
  for (uint64_t box = first; box != first + count; ++box) {
    llvm::SmallVector<int64_t, 5> corner(origin);
    corner[load.getSplitDim()] += box / rows * map.box[load.getSplitDim()];
    corner[load.getRowDim()] += box % rows * map.box[load.getRowDim()];
    Copy copy{
        Copy::Box,  load, ring.origin, map.array.element, elementsOfBox(map, corner, place + box * bytesOfBox(map)),
        actor.clock};
    copy.ring = number;
    copy.stage = ring.producer.stage;
    copy.into = &into;
    start(std::move(copy));
  }
}

// By one thread. Each store is a group.
void Copies::start(Actor &actor, tileas::TmaStoreOp store) {
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
void Copies::startOwn(Actor &actor, Load load, const Holding &holding,
                      llvm::function_ref<uint64_t(uint32_t)> addressAt) {
  if (load.getCondition() && !actor.tile(load.getCondition()).bits->front())
    return;
  Ring &ring = block.rings[std::get<Pipeline>(actor.get(load.getPipeline())).number];
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
  int64_t bytes = interpreter::storageBytes(element);
  llvm::ArrayRef<uint32_t> offsets = block.kernel.elementOffsets(buffer);
  int64_t place = ring.offsetOf(stage, load.getIndex());
  Copy copy{Copy::Own, load, ring.origin, element, {}, actor.clock};
  for (uint32_t original : holding.originals)
    copy.elements.push_back({place + offsets[holding.elements[original]] * bytes, addressAt(original)});
  copy.actor = actor.number, copy.group = groups[{Copy::Own, actor.number}].made;
  if (!load.getStage()) {
    copy.kind = Copy::Box;
    copy.ring = &ring - block.rings.data();
    copy.stage = stage;
  }
  start(std::move(copy));
}

llvm::Error Copies::start(Actor &actor, tileas::AsyncLoadOp load) {
  auto type = tileas::typeWith(bufferOf(load).getElementType(), load.getLayout().getLayout());
  Box box(actor, load.getView(), load.getOffsets(), load.getDimMap(), type);
  const Holding &holding = block.kernel.holding(type, actor.group);
  startOwn(actor, load, holding, [&](uint32_t place) { return box.at(holding.elements[place]).value_or(0); });
  return actor.takeFault(load);
}

llvm::Error Copies::start(Actor &actor, tileas::AsyncLoadPtrOp load) {
  Ring &ring = block.rings[std::get<Pipeline>(actor.get(load.getPipeline())).number];
  if (llvm::Error error = actor.checkState(load, ring.producer))
    return error;
  PointerAccess access(actor, load.getAddresses(), load.getMask());
  startOwn(actor, load, *actor.holdingOf(load.getAddresses().getType()),
           [&](uint32_t place) { return access.isOn(place) ? access.addresses.at(place) : 0; });
  return actor.takeFault(load);
}

//===-- their ends --------------------------------------------------------===//

// Boxes of tf32 are rounded on their way.
static Bits bitsBrought(Bits bits, Element element) {
  return element == Element::TF32 ? formatOf(element).encode(formatOf(Element::F32).decode(bits)) : bits;
}

llvm::Error Copies::finish(size_t number) {
  Copy copy = std::move(copies[number]);
  copies.erase(copies.begin() + number);
  TileBlock &into = *copy.into;
  uint32_t actor = block.inCluster(block.numActors() + copy.slot);
  Event event{actor, slots[copy.slot], copy.op, copy.owner};
  copy.issued.set(actor, event.time);
  uint32_t recorded = into.shared.addEvent(event);
  unsigned width = interpreter::storageBytes(copy.element);
  for (auto [offset, address] : copy.elements) {
    if (copy.kind != Copy::Store)
      into.shared.write(recorded, copy.issued, offset, width,
                        address ? bitsBrought(block.global.read(address, copy.element), copy.element) : 0);
    else if (Bits bits = into.shared.read(recorded, copy.issued, offset, width); address)
      block.global.write(address, copy.element, bits);
  }
  if (copy.kind == Copy::Box)
    into.rings[copy.ring].full[copy.stage].bring(copy.issued, copy.elements.size() * width);
  else
    groups[{copy.kind, copy.actor}].done.push_back({copy.group, copy.issued});
  if (block.global.missing())
    return block.missingMemory(copy.op);
  return into.checkShared(copy.op, "a copy reads", "a copy writes");
}

bool Copies::areDone(Copy::Kind kind, const Actor &actor, int64_t pending) const {
  auto found = groups.find({kind, actor.number});
  int64_t waited = found == groups.end() ? 0 : found->second.made - pending;
  return llvm::none_of(
      copies, [&](const Copy &copy) { return copy.kind == kind && copy.actor == actor.number && copy.group < waited; });
}

void Copies::waitFor(Copy::Kind kind, Actor &actor, int64_t pending) {
  Groups &own = groups[{kind, actor.number}];
  for (auto &[group, clock] : own.done)
    if (group < own.made - pending)
      actor.clock.join(clock);
  llvm::erase_if(own.done, [&](auto &entry) { return entry.first < own.made - pending; });
}
