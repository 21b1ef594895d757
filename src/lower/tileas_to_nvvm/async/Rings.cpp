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
  auto copy = dyn_cast<tileas::AsyncLoadPtrOp>(user);
  bool isWrite = isa<tileas::ProducerWriteOp>(user);
  if (isWrite || (copy && copy.isByProducer()))
    ring.copyingThreads = agents.getWarps()[1] * nvidia::Architecture::warpThreads;
  ring.isWritten |= isWrite;
  ring.isProducedTogether |= agents && agents.isProducedTogether();
  if (isa<tileas::ConsumerReadOp>(user))
    ring.isReadByThreads |= llvm::any_of(user->getUsers(), llvm::IsaPred<tileas::ReadOp>);
  if (isa<tileas::StageOp>(user))
    ring.isReadByHardware |= llvm::any_of(user->getUsers(), tileas::multipliesByHardware);
}

Ring describe(tileas::CreatePipelineOp create) {
  Ring ring{create.getPipeline().getType(), int64_t(create.getOffset().value_or(0)), int64_t(create.getConsumers()),
            create.getByOne()};
  ring.cluster = create.getCluster();
  // Several loops may fill the same buffer.
  DenseSet<int64_t> brought;
  for (Operation *user : create->getUsers())
    describeUse(ring, brought, user);
  for (int64_t index : brought)
    ring.broughtBytes += ring.type.getBuffers()[index].getBytes();
  return ring;
}

} // namespace

Rings::Rings(func::FuncOp function) {
  function.walk([&](tileas::CreatePipelineOp create) {
    numbers[create] = rings.size();
    for (Operation *user : create->getUsers())
      numbers[user] = rings.size();
    rings.push_back(describe(create));
  });
}

std::array<Value, 2> RingBuilder::next(PipelineState state) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value next = arith::AddIOp::create(b, loc, state.stage, thread.i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, thread.i32(ring.type.getStages()));
  Value other = arith::XOrIOp::create(b, loc, state.phase, thread.i32(1));
  return {arith::SelectOp::create(b, loc, wraps, thread.i32(0), next),
          arith::SelectOp::create(b, loc, wraps, other, state.phase)};
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

Value RingBuilder::allOfCluster() {
  return thread.constant(thread.builder.getI16Type(), (int64_t(1) << ring.cluster) - 1);
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
