// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/memory/SharedPlaces.h"

#include "tileas/memory/ValueFlow.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using tileas::Lifetime;
using tileas::SharedPlace;

namespace {

// Buffers that the hardware accesses may be swizzled by address: units of 16 bytes are permuted within 1024 bytes.
int64_t alignmentOf(tileas::AllocOp alloc) {
  bool byHardware =
      llvm::any_of(alloc->getUsers(), llvm::IsaPred<tileas::TmaStoreOp, tileas::MmaOp, tileas::TmemMmaOp>);
  return byHardware ? 1024 : 128;
}

} // namespace

int64_t tileas::sharedLimit(func::FuncOp function, const nvidia::Architecture &architecture) {
  auto speaks = [](Operation *op) {
    return isa<tileaa::PrintOp, tileaa::AssertOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return architecture.sharedBytesPerBlock() - (function.walk(speaks).wasInterrupted() ? hostPlaceBytes : 0);
}

tileas::SharedPlaces::SharedPlaces(func::FuncOp function) : SharedPlaces(function, {}, /*withConversions=*/false) {}

tileas::SharedPlaces::SharedPlaces(func::FuncOp function, const DenseSet<Operation *> &skipped)
    : SharedPlaces(function, skipped, /*withConversions=*/true) {}

tileas::SharedPlaces::SharedPlaces(func::FuncOp function, const DenseSet<Operation *> &skipped, bool withConversions) {
  number(function.getBody());
  function.walk([&](Operation *op) {
    if (skipped.contains(op))
      return;
    if (auto convert = dyn_cast<tileas::ConvertLayoutOp>(op); convert && withConversions) {
      auto type = cast<RankedTensorType>(convert.getType());
      add(op, type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8), 128, lives.lookup(op));
    } else if (auto alloc = dyn_cast<tileas::AllocOp>(op)) {
      add(op, alloc.getType().getBytes(), alignmentOf(alloc), {});
    } else if (auto pipeline = dyn_cast<tileas::CreatePipelineOp>(op)) {
      // Until the last stage has been read: no stage is filled that is not read.
      Lifetime life = lives.lookup(op);
      for (Operation *user : op->getUsers()) {
        auto copy = dyn_cast<tileas::AsyncLoadPtrOp>(user);
        bool byProducer = copy && copy.isByProducer();
        if (isa<tileas::ConsumerReleaseOp, tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp>(user) && !byProducer)
          life.include(lifeOf(user, op->getParentOp()));
        if (isa<tileas::StageOp>(user))
          for (Operation *reader : user->getUsers())
            life.include(lifeOf(reader, op->getParentOp()));
      }
      add(op, pipeline.getPipeline().getType().getBytes(), 1024, life);
    } else if (auto exchange = dyn_cast<tileas::CreateExchangeOp>(op)) {
      // Another CTA writes there while this one is anywhere.
      add(op, exchange.getExchange().getType().getBytes(), 128, {0, count});
    } else if (isa<tileas::TmemAllocOp>(op)) {
      Lifetime life = lives.lookup(op);
      for (Operation *user : op->getUsers())
        life.include(lifeOf(user, op->getParentOp()));
      add(op, 16, 16, life);
    } else if (auto alloca = dyn_cast<tileaa::AllocaOp>(op)) {
      // Its address may go anywhere, and no barriers order accesses through addresses, so its memory is not shared.
      add(op, alloca.getBytes(), alloca.getAlignment(), {0, count});
    }
  });
  function.walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<RegionBranchOpInterface>(op))
      for (Value operand : op->getOperands())
        if (isa<tileas::BufferType>(operand.getType()))
          for (Value origin : originsOf(operand))
            if (auto found = numbers.find(origin.getDefiningOp()); found != numbers.end())
              places[found->second].life.include(lifeOf(op, origin.getDefiningOp()->getParentOp()));
  });
  place();
}

int64_t tileas::SharedPlaces::total() const {
  int64_t end = 0;
  for (const SharedPlace &place : places)
    end = std::max(end, place.offset + place.bytes);
  return end;
}

int64_t tileas::SharedPlaces::mostUntil(Operation *op) const {
  unsigned end = lives.lookup(op).end;
  auto neededAt = [&](unsigned time) {
    int64_t bytes = 0;
    for (const SharedPlace &place : places)
      if (place.life.meets({time, time}))
        bytes += llvm::alignTo(place.bytes, 1024);
    return bytes;
  };
  int64_t most = 0;
  for (const SharedPlace &place : places)
    if (place.life.begin <= end)
      most = std::max(most, neededAt(place.life.begin));
  return most;
}

const SharedPlace &tileas::SharedPlaces::largest() const {
  return *llvm::max_element(places, [](const SharedPlace &a, const SharedPlace &b) { return a.bytes < b.bytes; });
}

void tileas::SharedPlaces::number(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      unsigned begin = ++count;
      for (Region &inner : op.getRegions())
        number(inner);
      lives[&op] = {begin, count};
    }
}

// Of the operation, or of the outermost loop around it that is inside `owner`.
Lifetime tileas::SharedPlaces::lifeOf(Operation *op, Operation *owner) {
  Operation *outermost = op;
  for (Operation *parent = op->getParentOp(); parent && parent != owner; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      outermost = parent;
  return lives.lookup(outermost);
}

void tileas::SharedPlaces::add(Operation *op, int64_t bytes, int64_t alignment, Lifetime life) {
  numbers[op] = places.size();
  places.push_back({op, bytes, alignment, life});
}

void tileas::SharedPlaces::place() {
  SmallVector<SharedPlace *> order;
  for (SharedPlace &place : places)
    order.push_back(&place);
  llvm::sort(order, [](SharedPlace *a, SharedPlace *b) {
    return std::tuple(b->bytes, a->life.begin) < std::tuple(a->bytes, b->life.begin);
  });
  SmallVector<SharedPlace *> placed; // by offset
  for (SharedPlace *place : order) {
    for (SharedPlace *other : placed) {
      if (!other->life.meets(place->life) || other->offset + other->bytes <= place->offset)
        continue;
      if (place->offset + place->bytes <= other->offset)
        break;
      place->offset = llvm::alignTo(other->offset + other->bytes, place->alignment);
    }
    placed.insert(
        llvm::upper_bound(placed, place, [](SharedPlace *a, SharedPlace *b) { return a->offset < b->offset; }), place);
  }
}
