// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by the tensor memory accelerator, which one thread starts.
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

// The hardware's coordinates have 32 bits. One that has more is outside of every array, and so is what it becomes: far
// enough from the end of the numbers for the box behind it.
Value toCoordinate(Value offset, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Type index = b.getIndexType();
  constexpr int64_t most = tileas::mostTmaCoordinate;
  offset = b.createOrFold<arith::MinSIOp>(thread.loc, offset, thread.constant(index, most));
  offset = b.createOrFold<arith::MaxSIOp>(thread.loc, offset, thread.constant(index, -most));
  return b.createOrFold<arith::IndexCastOp>(thread.loc, b.getI32Type(), offset);
}

// The driver counts dimensions from the innermost.
SmallVector<Value> coordinates(ArrayRef<Value> offsets, unsigned splitDim, int64_t shift, ThreadBuilder &thread) {
  SmallVector<Value> result;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value coordinate = toCoordinate(offset, thread);
    if (dim == splitDim && shift)
      coordinate = arith::AddIOp::create(thread.builder, thread.loc, coordinate, thread.i32(shift));
    result.push_back(coordinate);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// By copy: the extent of its boxes along the dimension by which a tile is split. The box of a tensor map that became a
// parameter stands with the parameter.
class BoxExtents {
public:
  explicit BoxExtents(Operation *function) {
    function->walk([&](Operation *op) {
      if (auto load = dyn_cast<tileas::TmaLoadOp>(op))
        extents[op] = tileas::boxOf(load.getDesc())[load.getSplitDim()];
      else if (auto store = dyn_cast<tileas::TmaStoreOp>(op))
        extents[op] = tileas::boxOf(store.getDesc())[store.getSplitDim()];
    });
  }
  int64_t of(Operation *copy) const { return extents.find(copy)->second; }

private:
  llvm::DenseMap<Operation *, int64_t> extents;
};

struct TmaLoadPattern : TilePatternWith<tileas::TmaLoadOp, BoxExtents> {
  TmaLoadPattern(KernelContext &kernel, std::shared_ptr<const BoxExtents> extents, std::shared_ptr<const Rings> rings)
      : TilePatternWith(kernel, std::move(extents)), rings(std::move(rings)) {}

  LogicalResult lower(tileas::TmaLoadOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (!load.getState())
      return thread.fail(load, hasNoState);
    OpBuilder &b = thread.builder;
    const Ring &ring = rings->of(load);
    RingBuilder at(ring, thread);
    Value stage = PipelineState(adaptor.getState()).stage, barrier = at.full(stage);
    Value buffer = at.bufferOf(stage, load.getIndex());
    int64_t boxes = load.getBoxes(), bytes = ring.type.getBuffers()[load.getIndex()].getBytes() / boxes;
    auto cluster = LLVM::LLVMPointerType::get(b.getContext(), 7);
    at.byFirst([&] {
      for (int64_t box = 0; box != boxes; ++box) {
        Value place = thread.sharedPointer(arith::AddIOp::create(b, thread.loc, buffer, thread.i32(box * bytes)));
        place = LLVM::AddrSpaceCastOp::create(b, thread.loc, cluster, place);
        auto corner = coordinates(scalarsOf(adaptor.getOffsets()), load.getSplitDim(), box * facts->of(load), thread);
        NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
            b, thread.loc, place, adaptor.getDesc()[0], corner, barrier, ValueRange(), Value(), Value(),
            NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
      }
    });
    return thread.replace(load);
  }

private:
  std::shared_ptr<const Rings> rings;
};

struct TmaStorePattern : TilePatternWith<tileas::TmaStoreOp, BoxExtents> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::TmaStoreOp store, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    {
      OpBuilder::InsertionGuard guard(b);
      auto once = scf::IfOp::create(b, loc, thread.isFirstThread(), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      int64_t boxes = store.getBoxes(), bytes = store.getBuffer().getType().getBytes() / boxes;
      Value buffer = adaptor.getBuffer()[0];
      for (int64_t box = 0; box != boxes; ++box) {
        Value place = thread.sharedPointer(arith::AddIOp::create(b, loc, buffer, thread.i32(box * bytes)));
        auto corner = coordinates(scalarsOf(adaptor.getOffsets()), store.getSplitDim(), box * facts->of(store), thread);
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, loc, adaptor.getDesc()[0], place, corner, Value(),
                                                           NVVM::TMAStoreMode::TILE, Value());
      }
      NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
    }
    return thread.replace(store);
  }
};

struct TmaStoreWaitPattern : TilePattern<tileas::TmaStoreWaitOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::TmaStoreWaitOp wait, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    {
      OpBuilder::InsertionGuard guard(b);
      // Groups are the thread's that committed them.
      auto once = scf::IfOp::create(b, thread.loc, thread.isFirstThread(), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      NVVM::CpAsyncBulkWaitGroupOp::create(b, thread.loc, b.getI32IntegerAttr(wait.getPending()), b.getUnitAttr());
    }
    return thread.replace(wait);
  }
};

} // namespace

void tilewright::populateTmaCopyPatterns(RewritePatternSet &patterns, KernelContext &kernel,
                                         const std::shared_ptr<const Rings> &rings) {
  auto extents = std::make_shared<BoxExtents>(kernel.function);
  patterns.add<TmaLoadPattern>(kernel, extents, rings);
  patterns.add<TmaStorePattern>(kernel, extents);
  patterns.add<TmaStoreWaitPattern>(kernel);
}
