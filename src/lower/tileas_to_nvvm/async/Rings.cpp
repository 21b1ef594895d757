// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/async/Rings.h"

#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t barrierBytes = 8;

void describeUse(Ring &ring, DenseSet<int64_t> &brought, Operation *user) {
  auto agents = user->getParentOfType<tileas::AgentsOp>();
  if (auto load = dyn_cast<tileas::TmaLoadOp>(user))
    brought.insert(load.getIndex());
  else if (auto copy = dyn_cast<tileas::AsyncLoadPtrOp>(user); copy && copy.isByProducer())
    ring.copyingThreads = agents.getWarps()[1] * nvidia::Architecture::warpThreads;
  ring.isProducedTogether |= agents && agents.isProducedTogether();
  if (isa<tileas::ConsumerReadOp>(user))
    ring.isReadByThreads |= llvm::any_of(user->getUsers(), llvm::IsaPred<tileas::ReadOp>);
  if (isa<tileas::StageOp>(user))
    ring.isReadByHardware |= llvm::any_of(user->getUsers(), tileas::multipliesByHardware);
}

Ring describe(tileas::CreatePipelineOp create) {
  Ring ring{create.getPipeline().getType(), int64_t(create.getOffset().value_or(0)), int64_t(create.getConsumers()),
            create.getByOne()};
  // Several loops may fill the same buffer.
  DenseSet<int64_t> brought;
  for (Operation *user : create->getUsers())
    describeUse(ring, brought, user);
  for (int64_t index : brought)
    ring.broughtBytes += ring.type.getBuffers()[index].getBytes();
  return ring;
}

} // namespace

Rings::Rings(KernelContext &kernel) {
  kernel.function.walk([&](tileas::CreatePipelineOp create) {
    Ring ring = describe(create);
    if (ring.consumers) {
      for (auto [place, firstPhase] : {std::pair(&ring.producer, 1), std::pair(&ring.consumer, 0)}) {
        place->stage = kernel.makeVariable(0);
        place->phase = kernel.makeVariable(firstPhase);
      }
    }
    numbers[create] = rings.size();
    for (Operation *user : create->getUsers())
      numbers[user] = rings.size();
    rings.push_back(ring);
  });
}

Value RingBuilder::get(Value variable) {
  return LLVM::LoadOp::create(thread.builder, thread.loc, thread.builder.getI32Type(), variable);
}

void RingBuilder::advance(const Ring::Place &place) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value next = arith::AddIOp::create(b, loc, get(place.stage), thread.i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, thread.i32(ring.type.getStages()));
  Value phase = get(place.phase);
  Value other = arith::XOrIOp::create(b, loc, phase, thread.i32(1));
  LLVM::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, wraps, thread.i32(0), next), place.stage);
  LLVM::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, wraps, other, phase), place.phase);
}

Value RingBuilder::barrierOf(Value stage, int64_t first) {
  Value place = arith::MulIOp::create(thread.builder, thread.loc, stage, thread.i32(barrierBytes));
  return thread.sharedPointer(arith::AddIOp::create(thread.builder, thread.loc, place, thread.i32(first)));
}

Value RingBuilder::full(Value stage) {
  return barrierOf(stage, ring.offset + ring.type.getStages() * ring.type.getStageBytes());
}

Value RingBuilder::empty(Value stage) {
  return barrierOf(stage, ring.offset + ring.type.getStages() * (ring.type.getStageBytes() + barrierBytes));
}

void RingBuilder::waitFor(Value barrier, Value phase) {
  NVVM::MBarrierTryWaitParityOp::create(thread.builder, thread.loc, barrier, phase, thread.i32(longestSleep));
}

Value RingBuilder::bufferOf(Value stage, unsigned index) {
  OpBuilder &b = thread.builder;
  Value place = b.createOrFold<arith::MulIOp>(thread.loc, stage, thread.i32(ring.type.getStageBytes()));
  return b.createOrFold<arith::AddIOp>(thread.loc, place, thread.i32(ring.offset + ring.type.getBufferOffset(index)));
}

void RingBuilder::byFirst(llvm::function_ref<void()> produce) {
  OpBuilder::InsertionGuard guard(thread.builder);
  if (ring.isProducedTogether) {
    auto once = scf::IfOp::create(thread.builder, thread.loc, thread.isFirstThread(), /*withElseRegion=*/false);
    thread.builder.setInsertionPointToStart(once.thenBlock());
  }
  produce();
}
