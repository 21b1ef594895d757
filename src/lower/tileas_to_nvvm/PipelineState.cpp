// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/PipelineState.h"
#include "lower/tileas_to_nvvm/InlinePtx.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t barrierBytes = 8;

} // namespace

PipelineState::Ring &PipelineState::ringOf(Value pipeline) {
  return rings.find(pipeline)->second;
}

PipelineState::Place PipelineState::makePlace(int64_t firstPhase) {
  OpBuilder &b = tiles.builder;
  // LLVM makes registers of the variables of a function's first block only.
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tiles.firstOperation());
  auto make = [&](int64_t first) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value variable = LLVM::AllocaOp::create(b, tiles.loc, pointer, b.getI32Type(), tiles.i32(1));
    LLVM::StoreOp::create(b, tiles.loc, tiles.i32(first), variable);
    return variable;
  };
  Value stage = make(0);
  return {stage, make(firstPhase)};
}

Value PipelineState::get(Value variable) {
  return LLVM::LoadOp::create(tiles.builder, tiles.loc, tiles.builder.getI32Type(), variable);
}

void PipelineState::advance(const Ring &ring, const Place &place) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  Value next = arith::AddIOp::create(b, loc, get(place.stage), tiles.i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, tiles.i32(ring.type.getStages()));
  Value phase = get(place.phase);
  Value other = arith::XOrIOp::create(b, loc, phase, tiles.i32(1));
  LLVM::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, wraps, tiles.i32(0), next), place.stage);
  LLVM::StoreOp::create(b, loc, arith::SelectOp::create(b, loc, wraps, other, phase), place.phase);
}

static Value barrierOf(Value stage, int64_t first, TileRegisters &tiles) {
  Value place = arith::MulIOp::create(tiles.builder, tiles.loc, stage, tiles.i32(barrierBytes));
  return tiles.sharedPointer(arith::AddIOp::create(tiles.builder, tiles.loc, place, tiles.i32(first)));
}

Value PipelineState::full(const Ring &ring, Value stage) {
  return barrierOf(stage, ring.offset + ring.type.getStages() * ring.type.getStageBytes(), tiles);
}
Value PipelineState::empty(const Ring &ring, Value stage) {
  return barrierOf(stage, ring.offset + ring.type.getStages() * (ring.type.getStageBytes() + barrierBytes), tiles);
}

Value tilewright::placeInRing(tileas::PipelineType type, int64_t offset, Value stage, unsigned index,
                              TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value place = b.createOrFold<arith::MulIOp>(tiles.loc, stage, tiles.i32(type.getStageBytes()));
  return b.createOrFold<arith::AddIOp>(tiles.loc, place, tiles.i32(offset + type.getBufferOffset(index)));
}

void PipelineState::waitFor(Value barrier, Value phase) {
  NVVM::MBarrierTryWaitParityOp::create(tiles.builder, tiles.loc, barrier, phase, tiles.i32(longestSleep));
}

PipelineState::Ring PipelineState::describe(tileas::CreatePipelineOp create) {
  Ring ring{create.getPipeline().getType(), int64_t(*create.getOffset()), create.getByOne(), 0, 0, false, {}, {}};
  // Several loops may fill the same buffer.
  DenseSet<int64_t> brought;
  for (Operation *user : create->getUsers()) {
    auto agents = user->getParentOfType<tileas::AgentsOp>();
    if (auto load = dyn_cast<tileas::TmaLoadOp>(user))
      brought.insert(load.getIndex());
    else if (auto copy = dyn_cast<tileas::AsyncLoadPtrOp>(user); copy && copy.isByProducer())
      ring.copyingThreads = agents.getWarps()[1] * nvidia::Architecture::warpThreads;
    ring.isProducedTogether |= agents && agents.isProducedTogether();
  }
  for (int64_t index : brought)
    ring.broughtBytes += ring.type.getBuffers()[index].getBytes();
  return ring;
}

// By one thread for all of the producer's, where they are all there.
void PipelineState::byFirstOf(const Ring &ring, llvm::function_ref<void()> produce) {
  OpBuilder::InsertionGuard guard(tiles.builder);
  if (ring.isProducedTogether) {
    auto once = scf::IfOp::create(tiles.builder, tiles.loc, tiles.isFirstThread(), /*withElseRegion=*/false);
    tiles.builder.setInsertionPointToStart(once.thenBlock());
  }
  produce();
}

LogicalResult PipelineState::create(tileas::CreatePipelineOp create) {
  if (!create.getOffset())
    return create.emitError() << "internal error: a pipeline has no place in shared memory";
  if (create.getConsumers() == 0)
    return success(); // nobody has a place in it
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  Ring ring = describe(create);
  ring.producer = makePlace(1);
  ring.consumer = makePlace(0);
  int64_t arrivals = ring.copyingThreads + (ring.broughtBytes ? 1 : 0);
  {
    OpBuilder::InsertionGuard guard(b);
    auto once = scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    for (int64_t stage = 0; stage != ring.type.getStages(); ++stage) {
      NVVM::MBarrierInitOp::create(b, loc, full(ring, tiles.i32(stage)), tiles.i32(arrivals), Value());
      NVVM::MBarrierInitOp::create(b, loc, empty(ring, tiles.i32(stage)), tiles.i32(create.getConsumers()), Value());
    }
    NVVM::FenceMbarrierInitOp::create(b, loc);
  }
  rings.try_emplace(create.getPipeline(), ring);
  return success();
}

void PipelineState::acquire(tileas::ProducerAcquireOp acquire) {
  Ring &ring = ringOf(acquire.getPipeline());
  Value stage = get(ring.producer.stage);
  waitFor(empty(ring, stage), get(ring.producer.phase));
  if (ring.broughtBytes)
    byFirstOf(ring, [&] {
      NVVM::MBarrierArriveExpectTxOp::create(tiles.builder, tiles.loc, Type(), full(ring, stage),
                                             tiles.i32(ring.broughtBytes), NVVM::MemScopeKind::CTA, false, Value());
    });
}

void PipelineState::commit(tileas::ProducerCommitOp commit) {
  Ring &ring = ringOf(commit.getPipeline());
  // Each thread arrives when its own copies have come.
  if (ring.copyingThreads)
    NVVM::CpAsyncMBarrierArriveOp::create(tiles.builder, tiles.loc, full(ring, get(ring.producer.stage)),
                                          /*noinc=*/true);
  advance(ring, ring.producer);
}

Value PipelineState::filled(tileas::AsyncLoadPtrOp load) {
  return load.isByProducer() ? get(ringOf(load.getPipeline()).producer.stage) : load.getStage();
}

void PipelineState::wait(tileas::ConsumerWaitOp wait) {
  Ring &ring = ringOf(wait.getPipeline());
  OpBuilder &b = tiles.builder;
  OpBuilder::InsertionGuard guard(b);
  Value stage = get(ring.consumer.stage), phase = get(ring.consumer.phase);
  if (ring.byOne)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, tiles.loc, tiles.isFirstThread(), /*withElseRegion=*/false).thenBlock());
  waitFor(full(ring, stage), phase);
  // Copies of threads are read past their caches.
  if (ring.copyingThreads)
    showToHardware(tiles);
  if (ring.byOne)
    NVVM::Tcgen05FenceOp::create(b, tiles.loc, NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
}

void PipelineState::read(tileas::ConsumerReadOp read) {
  Ring &ring = ringOf(read.getPipeline());
  tiles.set(read.getBuffer(), placeInRing(ring.type, ring.offset, get(ring.consumer.stage), read.getIndex(), tiles));
}

// Products of a warpgroup end for all of it together; what its threads read themselves each has for itself.
static bool isReadByThreads(Value pipeline) {
  return llvm::any_of(pipeline.getUsers(), [](Operation *user) {
    return isa<tileas::ConsumerReadOp>(user) && llvm::any_of(user->getUsers(), llvm::IsaPred<tileas::ReadOp>);
  });
}

// A barrier of 128 threads. Those below are all threads' and the agents'.
static void meetWarpgroup(TileRegisters &tiles) {
  constexpr int32_t firstBarrier = 8;
  OpBuilder &b = tiles.builder;
  Value group = arith::ShRUIOp::create(b, tiles.loc, tiles.thread(), tiles.i32(7));
  Value number = arith::AddIOp::create(b, tiles.loc, group, tiles.i32(firstBarrier));
  NVVM::BarrierOp::create(b, tiles.loc, TypeRange(), number, tiles.i32(128), NVVM::BarrierReductionAttr(), Value());
}

void PipelineState::release(tileas::ConsumerReleaseOp release) {
  Ring &ring = ringOf(release.getPipeline());
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  // One of each warpgroup, unless one is enough.
  Value isFirst = tiles.isFirstThread();
  if (!ring.byOne) {
    Value inGroup = arith::AndIOp::create(b, loc, tiles.thread(), tiles.i32(127));
    isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, inGroup, tiles.i32(0));
  }
  Value barrier = empty(ring, get(ring.consumer.stage));
  if (isReadByThreads(release.getPipeline()))
    meetWarpgroup(tiles);
  {
    OpBuilder::InsertionGuard guard(b);
    auto once = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(once.thenBlock());
    if (ring.byOne)
      NVVM::Tcgen05CommitOp::create(b, loc, barrier, Value());
    else
      NVVM::MBarrierArriveOp::create(b, loc, Type(), barrier, Value(), NVVM::MemScopeKind::CTA, false);
  }
  advance(ring, ring.consumer);
}

// The hardware's coordinates have 32 bits. One that has more is outside of every array, and so is what it becomes: far
// enough from the end of the numbers for the box behind it.
static Value toCoordinate(Value offset, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Type index = b.getIndexType();
  constexpr int64_t most = tileas::mostTmaCoordinate;
  offset = b.createOrFold<arith::MinSIOp>(tiles.loc, offset, tiles.constant(index, most));
  offset = b.createOrFold<arith::MaxSIOp>(tiles.loc, offset, tiles.constant(index, -most));
  return b.createOrFold<arith::IndexCastOp>(tiles.loc, b.getI32Type(), offset);
}

// The driver counts dimensions from the innermost.
static SmallVector<Value> coordinates(ValueRange offsets, unsigned splitDim, int64_t shift, TileRegisters &tiles) {
  SmallVector<Value> result;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value coordinate = toCoordinate(offset, tiles);
    if (dim == splitDim && shift)
      coordinate = arith::AddIOp::create(tiles.builder, tiles.loc, coordinate, tiles.i32(shift));
    result.push_back(coordinate);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

static int64_t boxExtent(Value desc, unsigned dim) {
  // A description that became a parameter has its box with it.
  return tileas::boxOf(desc)[dim];
}

void PipelineState::load(tileas::TmaLoadOp load) {
  Ring &ring = ringOf(load.getPipeline());
  OpBuilder &b = tiles.builder;
  Value stage = get(ring.producer.stage), barrier = full(ring, stage);
  Value buffer = placeInRing(ring.type, ring.offset, stage, load.getIndex(), tiles);
  Value desc = load->getOperand(0);
  int64_t boxes = load.getBoxes(), bytes = ring.type.getBuffers()[load.getIndex()].getBytes() / boxes;
  auto cluster = LLVM::LLVMPointerType::get(b.getContext(), 7);
  byFirstOf(ring, [&] {
    for (int64_t box = 0; box != boxes; ++box) {
      Value place = tiles.sharedPointer(arith::AddIOp::create(b, tiles.loc, buffer, tiles.i32(box * bytes)));
      place = LLVM::AddrSpaceCastOp::create(b, tiles.loc, cluster, place);
      int64_t shift = box * boxExtent(desc, load.getSplitDim());
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, tiles.loc, place, tiles.get(desc)[0], coordinates(load.getOffsets(), load.getSplitDim(), shift, tiles),
          barrier, ValueRange(), Value(), Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
          NVVM::CTAGroupKindAttr(), Value());
    }
  });
}

LogicalResult tilewright::lowerTmaStore(tileas::TmaStoreOp store, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  OpBuilder::InsertionGuard guard(b);
  auto once = scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false);
  b.setInsertionPointToStart(once.thenBlock());
  int64_t boxes = store.getBoxes(), bytes = store.getBuffer().getType().getBytes() / boxes;
  Value buffer = tiles.get(store.getBuffer())[0], desc = store->getOperand(1);
  for (int64_t box = 0; box != boxes; ++box) {
    Value place = tiles.sharedPointer(arith::AddIOp::create(b, loc, buffer, tiles.i32(box * bytes)));
    int64_t shift = box * boxExtent(desc, store.getSplitDim());
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
        b, loc, tiles.get(desc)[0], place, coordinates(store.getOffsets(), store.getSplitDim(), shift, tiles), Value(),
        NVVM::TMAStoreMode::TILE, Value());
  }
  NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
  return success();
}

LogicalResult tilewright::lowerTmaStoreWait(tileas::TmaStoreWaitOp wait, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  OpBuilder::InsertionGuard guard(b);
  // Groups are the thread's that committed them.
  auto once = scf::IfOp::create(b, tiles.loc, tiles.isFirstThread(), /*withElseRegion=*/false);
  b.setInsertionPointToStart(once.thenBlock());
  NVVM::CpAsyncBulkWaitGroupOp::create(b, tiles.loc, b.getI32IntegerAttr(wait.getPending()), b.getUnitAttr());
  return success();
}
