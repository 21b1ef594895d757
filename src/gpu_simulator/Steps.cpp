// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that others observe: of pipelines here, of copies and of the tensor core in their own files.
#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using interpreter::errorAt;

bool simulator::isVisible(Operation *op) {
  if (isa<tileas::MmaOp>(op))
    return llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<tileas::BufferType>(type); });
  if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
    return load.getOrdering().has_value();
  if (auto store = dyn_cast<tileaa::StorePtrOp>(op))
    return store.getOrdering().has_value();
  return isa<tileas::TmemStoreOp, tileas::TmemLoadOp, tileas::TmemMmaOp, tileas::TmemWaitOp, tileas::WriteOp,
             tileas::ReadOp, tileas::BarrierOp, tileas::AgentsOp, tileas::ProducerAcquireOp, tileas::ProducerWriteOp,
             tileas::ProducerCommitOp, tileas::ConsumerWaitOp, tileas::ConsumerReleaseOp, tileas::TmaLoadOp,
             tileas::TmaStoreOp, tileas::TmaStoreWaitOp, tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp,
             tileas::AsyncCommitOp, tileas::AsyncWaitOp, tileas::ClusterSumOp, tileaa::AtomicRmwOp, tileaa::AtomicCasOp,
             tileaa::PrintOp, tileaa::AssertOp>(op);
}

//===-- pipelines ---------------------------------------------------------===//

Ring &TileBlock::ringOf(Actor &actor, mlir::Value pipeline) {
  return rings[std::get<Pipeline>(actor.get(pipeline)).number];
}

// Actors for which another one waits and releases advance with it.
template <typename Op> static void setNext(Actor &actor, Op op, const Ring &ring) {
  if (!op.getNext())
    return;
  auto next = std::get<RingPlace>(actor.get(op.getState()));
  next.advance(ring.type.getStages());
  actor.set(op.getNext(), next);
}

llvm::Error TileBlock::visibleStep(Actor &actor, tileas::ProducerAcquireOp op) {
  Ring &ring = ringOf(actor, op.getPipeline());
  if (llvm::Error error = actor.checkState(op, ring.producer))
    return error;
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

void TileBlock::writeTile(Actor &actor, uint32_t access, const Tile &tile, tileas::BufferType buffer, int64_t offset) {
  llvm::ArrayRef<uint32_t> offsets = kernel.elementOffsets(buffer);
  unsigned width = interpreter::storageBytes(tile.element);
  for (uint32_t place : actor.originalsOf(tile))
    shared.write(access, actor.clock, offset + int64_t(offsets[tile.holding->elements[place]]) * width, width,
                 tile.at(place));
}

llvm::Error TileBlock::visibleStep(Actor &actor, tileas::ProducerWriteOp op) {
  Ring &ring = ringOf(actor, op.getPipeline());
  if (!ring.acquired)
    return errorAt(op, notAcquired(actor));
  if (llvm::Error error = actor.checkState(op, ring.producer))
    return error;
  writeTile(actor, actor.makeAccess(op, ring.origin), actor.tile(op.getTile()), op.getBufferType(),
            ring.offsetOf(ring.producer.stage, op.getIndex()));
  ring.full[ring.producer.stage].bring(actor.clock, op.getBufferType().getBytes());
  return checkShared(op, actor.does("reads"), actor.does("writes"));
}

llvm::Error TileBlock::visibleStep(Actor &actor, tileas::ProducerCommitOp op) {
  Ring &ring = ringOf(actor, op.getPipeline());
  if (llvm::Error error = actor.checkState(op, ring.producer))
    return error;
  setNext(actor, op, ring);
  if (!ring.acquired)
    return errorAt(op, "a stage is committed that was not acquired: expected a tileas.producer_acquire before");
  ring.acquired = nullptr;
  actor.makeEvent(op);
  ring.producer.advance(ring.type.getStages());
  return llvm::Error::success();
}

llvm::Error TileBlock::visibleStep(Actor &actor, tileas::ConsumerWaitOp op) {
  Ring &ring = ringOf(actor, op.getPipeline());
  if (ring.isOthers(actor.isFirst()))
    return llvm::Error::success();
  const RingPlace &place = ring.consumers[actor.number];
  if (llvm::Error error = actor.checkState(op, place))
    return error;
  actor.clock.join(ring.full[place.stage].completed());
  actor.makeEvent(op);
  return llvm::Error::success();
}

llvm::Error TileBlock::visibleStep(Actor &actor, tileas::ConsumerReleaseOp op) {
  Ring &ring = ringOf(actor, op.getPipeline());
  setNext(actor, op, ring);
  if (ring.isOthers(actor.isFirst()))
    return llvm::Error::success();
  RingPlace &place = ring.consumers[actor.number];
  if (llvm::Error error = actor.checkState(op, place))
    return error;
  actor.makeEvent(op);
  int number = std::get<Pipeline>(actor.get(op.getPipeline())).number;
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
  // If one actor reads for all, its earlier products have ended then.
  Clock past = actor.clock;
  if (ring.isByOne())
    past.join(tensorCore.past());
  size_t all = ring.isOfCluster() ? peers.size() : 1;
  for (TileBlock *peer : all == 1 ? llvm::ArrayRef(peers).slice(rank, 1) : llvm::ArrayRef(peers))
    if (!peer->rings[number].empty[place.stage].arrive(past))
      return errorAt(op, "early release: stage " + llvm::Twine(place.stage) +
                             " is released by more consumers than the pipeline has");
  ring.lastRelease[actor.number] = op;
  place.advance(ring.type.getStages());
  return llvm::Error::success();
}

//===-- all others --------------------------------------------------------===//

// After its release the buffer of a stage belongs to the producer.
llvm::Error TileBlock::checkReleased(Actor &actor, Operation *op) {
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
  return llvm::Error::success();
}

// An operation of the handlers', whose accesses to shared memory are checked.
llvm::Error TileBlock::handledStep(Actor &actor, Operation *op) {
  if (llvm::Error error = checkReleased(actor, op))
    return error;
  if (auto mma = dyn_cast<tileas::TmemMmaOp>(op))
    return tensorCore.step(actor, mma);
  const Handler *handler = handlers().find(op->getName());
  if (!handler)
    return errorAt(op, "the simulator does not know '" + op->getName().getStringRef() + "'");
  if (llvm::Error error = (*handler)(op, actor))
    return error;
  if (llvm::Error error = actor.takeFault(op))
    return error;
  return checkShared(op, actor.does("reads"), actor.does("writes"));
}

llvm::Error TileBlock::visibleStep(Actor &actor, Operation *op) {
  return llvm::TypeSwitch<Operation *, llvm::Error>(op)
      .Case<tileas::ProducerAcquireOp, tileas::ProducerWriteOp, tileas::ProducerCommitOp, tileas::ConsumerWaitOp,
            tileas::ConsumerReleaseOp, tileas::ClusterSumOp>([&](auto op) { return visibleStep(actor, op); })
      .Case<tileas::TmaLoadOp, tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp>(
          [&](auto load) { return copies.start(actor, load); })
      .Case<tileas::TmemStoreOp, tileas::TmemLoadOp>([&](auto access) { return tensorCore.step(actor, access); })
      .Case([&](tileas::TmaStoreOp store) { return copies.start(actor, store), llvm::Error::success(); })
      .Case([&](tileas::TmaStoreWaitOp wait) { return copies.waitFor(actor, wait), llvm::Error::success(); })
      .Case([&](tileas::AsyncCommitOp) { return copies.commit(actor), llvm::Error::success(); })
      .Case([&](tileas::TmemWaitOp wait) { return tensorCore.step(actor, wait), llvm::Error::success(); })
      .Default([&](Operation *op) { return handledStep(actor, op); });
}
