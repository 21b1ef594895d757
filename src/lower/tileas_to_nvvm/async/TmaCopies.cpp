// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by the tensor memory accelerator, which one thread starts.
#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Analysis/SliceAnalysis.h"
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

bool takesDivision(Value scalar) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [](Operation *op) { return isa<arith::ArithDialect>(op->getDialect()); };
  SetVector<Operation *> ops;
  (void)getBackwardSlice(scalar, &ops, options);
  return llvm::any_of(ops, llvm::IsaPred<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                                         arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>);
}

// The same where the program computes the offset, if that takes divisions: LLVM moves them into the branch of the one
// thread that starts a copy, and there they come behind the barrier that the copy waits for.
Value toEarlyCoordinate(Value offset, ThreadBuilder &thread) {
  if (!takesDivision(offset))
    return toCoordinate(offset, thread);
  OpBuilder::InsertionGuard guard(thread.builder);
  thread.builder.setInsertionPointAfterValue(offset);
  return passThrough("", toCoordinate(offset, thread), thread)[0];
}

// How far a box lies from its tile's corner along a dimension, i32.
struct Shift {
  unsigned dim;
  Value distance;
};

// The corner of a box, of that of its tile. The driver counts dimensions from the innermost.
SmallVector<Value> shifted(SmallVector<Value> corner, ArrayRef<Shift> shifts, ThreadBuilder &thread) {
  for (const Shift &shift : shifts)
    corner[shift.dim] = arith::AddIOp::create(thread.builder, thread.loc, corner[shift.dim], shift.distance);
  std::reverse(corner.begin(), corner.end());
  return corner;
}

// By copy: the extents of its boxes along the dimension by which a tile is split, and of a load along that of rows of
// boxes. The box of a tensor map that became a parameter stands with the parameter. And the threads of stores.
class CopyFacts {
public:
  explicit CopyFacts(Operation *function) {
    function->walk([&](Operation *op) {
      if (auto load = dyn_cast<tileas::TmaLoadOp>(op)) {
        ArrayRef<int64_t> box = tileas::boxOf(load.getDesc());
        extents[op] = box[load.getSplitDim()];
        rowExtents[op] = box[load.getRowDim()];
      } else if (auto store = dyn_cast<tileas::TmaStoreOp>(op)) {
        extents[op] = tileas::boxOf(store.getDesc())[store.getSplitDim()];
        storesInLoop |= isa<scf::ForOp, scf::WhileOp>(op->getParentOp());
      }
    });
  }
  int64_t of(Operation *copy) const { return extents.find(copy)->second; }
  int64_t alongRows(Operation *load) const { return rowExtents.find(load)->second; }

  // Whether a thread starts stores, and waits for them. In a loop a warp does and not one thread of it: the instruction
  // is the warp's, and a branch that divides it, even by a predicate, keeps the assembler from uniform registers in the
  // loop. In a persistent kernel the descriptors of products then go through vector registers, three or four
  // instructions for each half of one.
  Value startsStores(ThreadBuilder &thread) const {
    if (!storesInLoop)
      return thread.isFirstThread();
    return arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::eq, thread.warp(), thread.i32(0));
  }

private:
  llvm::DenseMap<Operation *, int64_t> extents, rowExtents;
  bool storesInLoop = false;
};

struct TmaLoadPattern : TilePatternWith<tileas::TmaLoadOp, CopyFacts> {
  TmaLoadPattern(KernelContext &kernel, std::shared_ptr<const CopyFacts> facts, std::shared_ptr<const Rings> rings)
      : TilePatternWith(kernel, std::move(facts)), rings(std::move(rings)) {}

  LogicalResult lower(tileas::TmaLoadOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (!load.getState())
      return thread.fail(load, hasNoState);
    OpBuilder &b = thread.builder;
    const Ring &ring = rings->of(load);
    RingBuilder at(ring, thread);
    Value stage = PipelineState(adaptor.getState()).stage;
    Copies copies{load,
                  adaptor.getDesc()[0],
                  scalarsOf(adaptor.getOffsets()),
                  at.full(stage),
                  at.bufferOf(stage, load.getIndex()),
                  ring.type.getBuffers()[load.getIndex()].getBytes() / load.getAllBoxes()};
    at.byFirst([&] {
      if (!load.getShared())
        return startOwn(copies, thread);
      OpBuilder::InsertionGuard guard(b);
      auto branch = scf::IfOp::create(b, thread.loc, adaptor.getShared()[0], /*withElseRegion=*/true);
      b.setInsertionPointToStart(branch.thenBlock());
      startShare(copies, at, thread);
      b.setInsertionPointToStart(branch.elseBlock());
      startOwn(copies, thread);
    });
    return thread.replace(load);
  }

private:
  struct Copies {
    tileas::TmaLoadOp load;
    Value desc;
    SmallVector<Value> offsets;
    Value barrier, buffer;
    int64_t bytes; // of a box
  };

  void startOwn(const Copies &copies, ThreadBuilder &thread) const {
    tileas::TmaLoadOp load = copies.load;
    int64_t rows = load.getRowBoxes();
    for (int64_t box = 0; box != load.getAllBoxes(); ++box) {
      SmallVector<Shift, 2> shifts;
      if (int64_t shift = box / rows * facts->of(load))
        shifts.push_back({unsigned(load.getSplitDim()), thread.i32(shift)});
      if (int64_t shift = box % rows * facts->alongRows(load))
        shifts.push_back({unsigned(load.getRowDim()), thread.i32(shift)});
      start(copies, thread.i32(box * copies.bytes), shifts, Value(), thread);
    }
  }

  // An equal share of the boxes, to all CTAs of the cluster.
  void startShare(const Copies &copies, RingBuilder &at, ThreadBuilder &thread) const {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    tileas::TmaLoadOp load = copies.load;
    int64_t share = load.getAllBoxes() / at.ring.cluster, rows = load.getRowBoxes();
    Value rank = NVVM::ClusterId::create(b, loc, b.getI32Type()), all = at.allOfCluster();
    auto times = [&](Value value, int64_t factor) {
      return arith::MulIOp::create(b, loc, value, thread.i32(factor)).getResult();
    };
    for (int64_t number = 0; number != share; ++number) {
      Value box = arith::AddIOp::create(b, loc, times(rank, share), thread.i32(number));
      Value column = box, row;
      if (rows > 1) {
        column = arith::DivUIOp::create(b, loc, box, thread.i32(rows));
        row = arith::RemUIOp::create(b, loc, box, thread.i32(rows));
      }
      SmallVector<Shift, 2> shifts{{unsigned(load.getSplitDim()), times(column, facts->of(load))}};
      if (row)
        shifts.push_back({unsigned(load.getRowDim()), times(row, facts->alongRows(load))});
      start(copies, times(box, copies.bytes), shifts, all, thread);
    }
  }

  // A box to a distance from the begin of the buffer, in this CTA or in those of the cluster.
  void start(const Copies &copies, Value distance, ArrayRef<Shift> shifts, Value multicast,
             ThreadBuilder &thread) const {
    OpBuilder &b = thread.builder;
    auto cluster = LLVM::LLVMPointerType::get(b.getContext(), clusterSpace);
    Value place = thread.sharedPointer(arith::AddIOp::create(b, thread.loc, copies.buffer, distance));
    place = LLVM::AddrSpaceCastOp::create(b, thread.loc, cluster, place);
    auto corner = llvm::map_to_vector(copies.offsets, [&](Value offset) { return toCoordinate(offset, thread); });
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, thread.loc, place, copies.desc, shifted(std::move(corner), shifts, thread), copies.barrier, ValueRange(),
        multicast, Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }

  std::shared_ptr<const Rings> rings;
};

struct TmaStorePattern : TilePatternWith<tileas::TmaStoreOp, CopyFacts> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::TmaStoreOp store, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    auto corner = llvm::map_to_vector(scalarsOf(adaptor.getOffsets()),
                                      [&](Value offset) { return toEarlyCoordinate(offset, thread); });
    {
      OpBuilder::InsertionGuard guard(b);
      auto once = scf::IfOp::create(b, loc, facts->startsStores(thread), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      int64_t boxes = store.getBoxes(), bytes = store.getBuffer().getType().getBytes() / boxes;
      Value buffer = adaptor.getBuffer()[0];
      for (int64_t box = 0; box != boxes; ++box) {
        Value place = thread.sharedPointer(arith::AddIOp::create(b, loc, buffer, thread.i32(box * bytes)));
        SmallVector<Shift, 1> shifts;
        if (box)
          shifts.push_back({unsigned(store.getSplitDim()), thread.i32(box * facts->of(store))});
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(b, loc, adaptor.getDesc()[0], place,
                                                           shifted(corner, shifts, thread), Value(),
                                                           NVVM::TMAStoreMode::TILE, Value());
      }
      NVVM::CpAsyncBulkCommitGroupOp::create(b, loc);
    }
    return thread.replace(store);
  }
};

struct TmaStoreWaitPattern : TilePatternWith<tileas::TmaStoreWaitOp, CopyFacts> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::TmaStoreWaitOp wait, Adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    {
      OpBuilder::InsertionGuard guard(b);
      // Groups are of those that committed them.
      auto once = scf::IfOp::create(b, thread.loc, facts->startsStores(thread), /*withElseRegion=*/false);
      b.setInsertionPointToStart(once.thenBlock());
      NVVM::CpAsyncBulkWaitGroupOp::create(b, thread.loc, b.getI32IntegerAttr(wait.getPending()), b.getUnitAttr());
    }
    return thread.replace(wait);
  }
};

} // namespace

void tilewright::populateTmaCopyPatterns(RewritePatternSet &patterns, KernelContext &kernel,
                                         const std::shared_ptr<const Rings> &rings) {
  auto facts = std::make_shared<CopyFacts>(kernel.function);
  patterns.add<TmaLoadPattern>(kernel, facts, rings);
  patterns.add<TmaStorePattern>(kernel, facts);
  patterns.add<TmaStoreWaitPattern>(kernel, facts);
}
