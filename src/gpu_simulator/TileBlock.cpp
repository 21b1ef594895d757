// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/TileBlock.h"

#include "interpreter/Context.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using interpreter::errorAt;

// An operation takes between 0.1 and 1000 microseconds; a person notices a tenth of a second.
static constexpr int64_t stepsBetweenPolls = 256;

Schedule::~Schedule() = default;

static void setArguments(SimulatedKernel &kernel, Actor &actor, llvm::ArrayRef<void *> arguments);

TileBlock::TileBlock(SimulatedKernel &kernel, LaunchState &launch, std::array<int64_t, 3> index,
                     llvm::ArrayRef<void *> arguments, unsigned rank)
    : kernel(kernel), launch(launch), index(index), shared(kernel.sharedBytes), rank(rank), peers{this}, copies(*this),
      meeting(*this), tensorCore(*this) {
  unsigned count = kernel.groups + kernel.hasProducer;
  for (unsigned number = 0; number != count; ++number) {
    bool isProducer = number == kernel.groups;
    // The warps of an agent count from zero.
    WarpGroup group = isProducer ? WarpGroup{0, kernel.producerWarps}
                                 : WarpGroup{number * kernel.warpsPerGroup, kernel.warpsPerGroup};
    actors.push_back(std::make_unique<Actor>(kernel, *this, number, group, isProducer));
    meeting.expect(*actors.back());
    setArguments(kernel, *actors.back(), arguments);
    actors.back()->enter(kernel.function.getBody());
  }
  for (tileas::CreatePipelineOp create : kernel.pipelines)
    rings.emplace_back(create, kernel.offsetOf(create), count);
  for (tileas::CreateExchangeOp create : kernel.exchanges)
    exchanges.emplace_back(create, kernel.offsetOf(create), kernel.groups);
  // The tensor core's steps have a slot that no copy gets.
  if (!kernel.tmems.empty())
    copies.reserveSlot();
}
TileBlock::~TileBlock() = default;

void TileBlock::join(llvm::ArrayRef<std::unique_ptr<TileBlock>> blocks) {
  peers.clear();
  for (const auto &block : blocks)
    peers.push_back(block.get());
}

std::string TileBlock::ofCluster() const {
  return kernel.cluster == 1 ? "" : " of CTA " + std::to_string(rank) + " of the cluster";
}

std::string TileBlock::whoDoes(uint32_t inCluster, llvm::StringRef what) const {
  const TileBlock &block = *peers[inCluster % kernel.cluster];
  uint32_t number = inCluster / kernel.cluster;
  return number < block.actors.size() ? block.actors[number]->does(what) : "";
}

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
                                   "({1}, {2}, {3}); an index is out of bounds, or an argument does not match "
                                   "the kernel's assumptions",
                                   *global.missing(), index[0], index[1], index[2])
                         .str());
}

//===-- parameters --------------------------------------------------------===//

static int64_t launchValue(const tileas::LaunchValue &value, SimulatedKernel &kernel,
                           llvm::ArrayRef<void *> arguments) {
  if (!value.parameter)
    return value.constant;
  unsigned number = *value.parameter;
  Element element = elementOfType(kernel.function.getArgument(number).getType());
  Bits bits = interpreter::readBytes(static_cast<const char *>(arguments[number]), interpreter::storageBytes(element));
  return interpreter::signExtend(bits, element);
}

static TensorMap makeTensorMap(tileas::TmaDescAttr description, SimulatedKernel &kernel,
                               llvm::ArrayRef<void *> arguments) {
  TensorMap map;
  map.array.base = launchValue(description.getBase(), kernel, arguments);
  map.array.element = elementOfType(description.getElement());
  for (const tileas::LaunchValue &extent : description.getShape())
    map.array.shape.push_back(launchValue(extent, kernel, arguments));
  for (const tileas::LaunchValue &stride : description.getStrides())
    map.array.strides.push_back(launchValue(stride, kernel, arguments));
  llvm::append_range(map.box, description.getBox());
  map.swizzle = description.getSwizzle();
  return map;
}

static void setArguments(SimulatedKernel &kernel, Actor &actor, llvm::ArrayRef<void *> arguments) {
  SmallVector<tileas::TmaDescAttr> maps = tileas::tmaDescsOf(kernel.function);
  size_t nextMap = 0, nextExtent = 0;
  for (BlockArgument argument : kernel.function.getArguments()) {
    if (isa<tileas::TmaDescType>(argument.getType())) {
      actor.set(argument, makeTensorMap(maps[nextMap++], kernel, arguments));
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

//===-- steps -------------------------------------------------------------===//

namespace {

// The actors of a cluster that can take a step, and its copies.
struct NextSteps {
  llvm::SmallVector<Actor *> actors;
  llvm::SmallVector<std::pair<Copies *, size_t>> copies;
};

// Of those that are no steps of pipelines the first is taken at once.
bool isOutsideOfPipelines(Actor *actor) {
  return !isa<tileas::ProducerAcquireOp, tileas::ConsumerWaitOp, tileas::ConsumerReleaseOp, tileas::ClusterSumOp>(
      actor->next());
}

} // namespace

llvm::Error simulator::runCluster(llvm::ArrayRef<std::unique_ptr<TileBlock>> blocks, Schedule &schedule) {
  for (const auto &block : blocks)
    for (auto &actor : block->actors)
      if (llvm::Error error = actor->advance())
        return error;
  auto hasEnded = [](const auto &block) { return block->hasEnded; };
  while (llvm::none_of(blocks, hasEnded)) {
    // Actors by number, then copies.
    NextSteps next;
    bool isDone = true;
    for (const auto &block : blocks) {
      for (auto &actor : block->actors) {
        isDone &= !actor->next();
        if (actor->next() && block->canStep(*actor))
          next.actors.push_back(actor.get());
      }
      for (size_t number = 0; number != block->copies.size(); ++number)
        next.copies.push_back({&block->copies, number});
    }
    auto step = [&](size_t number) {
      if (number < next.actors.size())
        return next.actors[number]->block.step(*next.actors[number]);
      auto [copies, copy] = next.copies[number - next.actors.size()];
      return copies->finish(copy);
    };
    size_t count = next.actors.size() + next.copies.size(), chosen = count;
    if (schedule.isForPipelines()) {
      chosen = llvm::find_if(next.actors, isOutsideOfPipelines) - next.actors.begin();
      if (chosen == next.actors.size())
        chosen += llvm::find_if(next.copies, [](auto &copy) { return copy.first->isOutsideOfPipelines(copy.second); }) -
                  next.copies.begin();
    }
    if (count == 0) {
      if (isDone)
        return llvm::Error::success();
      std::string text;
      for (const auto &block : blocks)
        block->addWaiting(text);
      return llvm::createStringError(text);
    }
    if (llvm::Error error = step(chosen == count ? schedule.choose(count) : chosen))
      return error;
  }
  return llvm::Error::success();
}

bool TileBlock::canStep(Actor &actor) {
  if (actor.isWaiting)
    return false;
  Operation *op = actor.next();
  if (auto acquire = dyn_cast<tileas::ProducerAcquireOp>(op)) {
    Ring &ring = ringOf(actor, acquire.getPipeline());
    return ring.empty[ring.producer.stage].hasCompleted(ring.producer.parity);
  }
  if (auto wait = dyn_cast<tileas::ConsumerWaitOp>(op)) {
    Ring &ring = ringOf(actor, wait.getPipeline());
    RingPlace &place = ring.consumers[actor.number];
    if (ring.isOthers(actor.isFirst()))
      return true;
    return ring.full[place.stage].hasCompleted(place.parity);
  }
  if (auto sum = dyn_cast<tileas::ClusterSumOp>(op))
    return canStep(actor, sum);
  if (auto wait = dyn_cast<tileas::TmemWaitOp>(op))
    return tensorCore.haveEnded(actor, wait.getAcc());
  if (auto mma = dyn_cast<tileas::TmemMmaOp>(op))
    return mma.getRunning() || tensorCore.haveEnded(actor, mma.getAcc());
  if (auto wait = dyn_cast<tileas::AsyncWaitOp>(op))
    return copies.areDone(actor, wait);
  if (auto wait = dyn_cast<tileas::TmaStoreWaitOp>(op))
    return copies.areDone(actor, wait);
  return true;
}

llvm::Error TileBlock::step(Actor &actor) {
  Operation *op = actor.next();
  if (llvm::Error error = countStep(op))
    return error;
  if (llvm::Error error = actor.checkRunning(op))
    return error;
  auto wait = dyn_cast<tileas::AsyncWaitOp>(op);
  if (wait) {
    copies.waitFor(actor, wait);
    if (wait.getProducts())
      actor.endProducts(*wait.getProducts());
  }
  if (wait && !wait.isBarrier()) {
    actor.pass();
    return actor.advance();
  }
  if (wait || isa<tileas::BarrierOp, tileas::AgentsOp, tileaa::PrintOp, tileaa::AssertOp>(op))
    return meeting.arrive(actor, op);
  if (llvm::Error error = visibleStep(actor, op))
    return error;
  actor.pass();
  return actor.advance();
}
