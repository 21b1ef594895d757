// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers: tiles in the bytes of shared memory, each element where the buffer's layout puts it.
#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Elements.h"
#include "gpu_simulator/ops/Product.h"
#include "interpreter/Walk.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

void writeBuffer(tileas::WriteOp op, Actor &actor) {
  const auto &buffer = std::get<Buffer>(actor.get(op.getBuffer()));
  actor.block.writeTile(actor, actor.makeAccess(op, buffer.owner), actor.tile(op.getTile()), buffer.type,
                        buffer.offset);
}

void readBuffer(tileas::ReadOp op, Actor &actor) {
  auto type = cast<RankedTensorType>(op.getTile().getType());
  const auto &buffer = std::get<Buffer>(actor.get(op.getBuffer()));
  llvm::ArrayRef<uint32_t> offsets = actor.kernel.elementOffsets(buffer.type);
  const Holding *holding = actor.holdingOf(type);
  Element element = elementOfType(type);
  unsigned width = interpreter::storageBytes(element);
  llvm::ArrayRef<int64_t> whole = buffer.type.getShape(), shape = type.getShape();
  interpreter::Index corner;
  for (mlir::Value offset : op.getOffsets())
    corner.push_back(actor.integer(offset));
  uint32_t access = actor.makeAccess(op, buffer.owner);
  std::vector<Bits> bits(holding->size());
  for (auto [place, number] : llvm::enumerate(holding->elements)) {
    int64_t from = number;
    if (!corner.empty()) {
      from = 0;
      int64_t rest = number, stride = 1;
      for (size_t dim = shape.size(); dim-- != 0; stride *= whole[dim]) {
        int64_t coordinate = corner[dim] + rest % shape[dim];
        rest /= shape[dim];
        if (coordinate < 0 || coordinate >= whole[dim])
          return actor.refuse("reads beyond the buffer's dimension " + llvm::Twine(dim));
        from += coordinate * stride;
      }
    }
    bits[place] = actor.block.shared.read(access, actor.clock, buffer.offset + int64_t(offsets[from]) * width, width);
  }
  actor.set(op.getTile(), Tile(element, holding, std::move(bits)));
}

} // namespace

void simulator::registerSharedOps(HandlerTable &table) {
  table.on<tileas::AllocOp>([](tileas::AllocOp op, Actor &actor) {
    actor.set(op.getBuffer(), Buffer{actor.kernel.offsetOf(op), op.getType(), op});
  });
  table.on<tileas::TmemAllocOp>([](tileas::TmemAllocOp op, Actor &actor) {
    int number = llvm::find(actor.kernel.tmems, op) - actor.kernel.tmems.begin();
    actor.set(op.getTmem(), Tmem{number});
  });
  table.on<tileas::TmemDeallocOp>([](tileas::TmemDeallocOp, Actor &) {});
  table.on<tileas::WriteOp>(writeBuffer);
  table.on<tileas::ReadOp>(readBuffer);
  table.on<tileas::MmaOp>(multiply);
  table.on<tileas::MmaWaitOp>([](tileas::MmaWaitOp op, Actor &actor) {
    actor.endProducts(op.getPending());
    if (actor.findRunning(op.getRunning()))
      return actor.refuse("leaves the product running that it waits for: it is one of the newest " +
                          llvm::Twine(op.getPending()));
    actor.set(op.getResult(), actor.tile(op.getRunning()));
  });
  table.on<tileas::ScaledMmaOp>(multiplyScaled);
  table.on<tileas::CreatePipelineOp>([](tileas::CreatePipelineOp op, Actor &actor) {
    int number = llvm::find(actor.kernel.pipelines, op) - actor.kernel.pipelines.begin();
    actor.set(op.getPipeline(), Pipeline{number});
  });
  table.on<tileas::CreateExchangeOp>([](tileas::CreateExchangeOp op, Actor &actor) {
    int number = llvm::find(actor.kernel.exchanges, op) - actor.kernel.exchanges.begin();
    actor.set(op.getExchange(), Exchange{number});
  });
  table.on<tileas::StageOp>([](tileas::StageOp op, Actor &actor) {
    Ring &ring = actor.block.rings[std::get<Pipeline>(actor.get(op.getPipeline())).number];
    int64_t stage = actor.integer(op.getStage());
    if (stage < 0 || stage >= ring.type.getStages())
      return actor.refuse("is stage " + llvm::Twine(stage) + " of a pipeline of " + llvm::Twine(ring.type.getStages()));
    actor.set(op.getBuffer(), Buffer{ring.offsetOf(stage, op.getIndex()), op.getBuffer().getType(), ring.origin});
  });
  // The producer waits for the phase before the first one.
  table.on<tileas::ProducerStartOp>(
      [](tileas::ProducerStartOp op, Actor &actor) { actor.set(op.getState(), RingPlace{0, 1}); });
  table.on<tileas::ConsumerStartOp>(
      [](tileas::ConsumerStartOp op, Actor &actor) { actor.set(op.getState(), RingPlace()); });
  table.on<tileas::ConsumerReadOp>([](tileas::ConsumerReadOp op, Actor &actor) -> llvm::Error {
    int number = std::get<Pipeline>(actor.get(op.getPipeline())).number;
    Ring &ring = actor.block.rings[number];
    RingPlace &place = ring.consumers[actor.number];
    if (!ring.isOthers(actor.isFirst()))
      if (llvm::Error error = actor.checkState(op, place))
        return error;
    actor.set(op.getBuffer(), Buffer{ring.offsetOf(place.stage, op.getIndex()), op.getBuffer().getType(), ring.origin,
                                     number, place.passed});
    return llvm::Error::success();
  });
}
