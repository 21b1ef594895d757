// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/mma/MmaBounds.h"
#include "cpu/place/ArrayAlias.h"
#include "cpu/place/DropTileaa.h"
#include "cpu/place/EarlierValues.h"
#include "cpu/place/EdgeLoops.h"
#include "cpu/place/StoredLoop.h"
#include "cpu/place/ViewAccess.h"
#include "cpu/plan/NextBlock.h"
#include "cpu/plan/NextIndices.h"
#include "tileaa/ir/Numbers.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUPLACELOADS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;
using tileaa::StoreViewOp;

namespace {

struct Write {
  Operation *op;
  ArraySet arrays;
};

class Placer {
public:
  explicit Placer(func::FuncOp function) : function(function), plan(Plan::of(function)), next(function) {}

  LogicalResult run() {
    collect();
    boundMmas(function);
    next.collect(loads);
    if (plan.prefetchTiles)
      loadNextIndices(function, loads, [&](LoadViewOp load) { return isWritten(arraysOf(load.getView())); });
    for (LoadViewOp load : loads)
      if (!waitsForStore(load) && failed(placeLoad(load)))
        return failure();
    for (StoreViewOp store : stores)
      if (failed(placeStore(store)))
        return failure();
    next.fetchWhereRead();
    dropTokens(function);
    dropViews(function);
    return success();
  }

private:
  void collect() {
    function.walk([&](PtrLoadOp load) { reads.push_back(ArraySet::ofAddress(load.getAddress())); });
    function.walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadViewOp>(op)) {
        loads.push_back(load);
      } else if (auto store = dyn_cast<StoreViewOp>(op)) {
        stores.push_back(store);
        writes.push_back({op, arraysOf(store.getView())});
      } else if (op->getParentOfType<linalg::GenericOp>()) {
        return; // its loop describes its accesses
      } else if (std::optional<AddressAccess> access = accessThroughAddress(op)) {
        if (access->writes)
          writes.push_back({op, access->arrays});
        ordersStores |= hasOrdering(op);
      }
    });
  }

  static ArraySet arraysOf(Value view) {
    auto made = view.getDefiningOp<tileaa::MakeViewOp>();
    return ArraySet::ofAddress(made ? made.getBase() : view);
  }

  bool isWritten(const ArraySet &arrays) const {
    return llvm::any_of(writes, [&](const Write &write) { return write.arrays.mayOverlap(arrays); });
  }

  //===-- loads -----------------------------------------------------------===//

  bool canStayInPlace(LoadViewOp load, const ArraySet &arrays) {
    for (const Write &write : writes) {
      if (!write.arrays.mayOverlap(arrays))
        continue;
      for (Operation *user : usersOf(load.getTile()))
        if (mayRunBetween(write.op, load, user))
          return false;
    }
    return true;
  }

  // Whether a loop that may compute its result in place is alone in reading the tile: it is placed with that loop.
  bool waitsForStore(LoadViewOp load) {
    auto loop = load.getTile().hasOneUse() ? dyn_cast<linalg::GenericOp>(*load.getTile().user_begin()) : nullptr;
    if (!loop || loop->getBlock() != load->getBlock() || !canStayInPlace(load, arraysOf(load.getView())))
      return false;
    auto store = loop->hasOneUse() ? dyn_cast<StoreViewOp>(*loop->user_begin()) : nullptr;
    return store && StoredLoop::of(store) == loop;
  }

  LogicalResult placeWaiting(linalg::GenericOp loop) {
    for (Value input : loop ? loop.getInputs() : ValueRange())
      if (auto load = input.getDefiningOp<LoadViewOp>(); load && failed(placeLoad(load)))
        return failure();
    return success();
  }

  static Value paddingValue(OpBuilder &builder, LoadViewOp load) {
    Type type = load.getView().getType().getElementType();
    TypedAttr padding =
        tileaa::paddingOf(load.getPadding().value_or(tileaa::Padding::Zero), load.getFormat().value_or(type));
    return arith::ConstantOp::create(builder, load.getLoc(), padding);
  }

  static Value isInside(OpBuilder &builder, Location loc, const ViewAccess &access) {
    Value whole = access.isWhole(builder, loc);
    return whole ? whole : arith::ConstantIntOp::create(builder, loc, 1, 1).getResult();
  }

  // The right operand of mma must be contiguous along its rows, and so must the left one where it is read in pairs.
  static bool wantsRows(LoadViewOp load, MemRefType type) {
    return cast<StridedLayoutAttr>(type.getLayout()).getStrides().back() != 1 &&
           llvm::any_of(load.getTile().getUsers(), [&](Operation *user) {
             auto mma = dyn_cast<MmaOp>(user);
             return mma && (mma.getRhs() == load.getTile() || mma.getRhs().getDefiningOp<PackWordsOp>());
           });
  }

  LogicalResult placeLoad(LoadViewOp load) {
    OpBuilder builder(load);
    Location loc = load.getLoc();
    FailureOr<ViewAccess> access = ViewAccess::of(load);
    if (failed(access))
      return failure();
    auto type = dyn_cast<RankedTensorType>(load.getTile().getType());
    if (!type) {
      Value other = paddingValue(builder, load);
      Value element = PtrLoadOp::create(builder, loc, other.getType(), access->address(builder, loc),
                                        isInside(builder, loc, *access), other, /*ordering=*/tileaa::OrderingAttr());
      load.getTile().replaceAllUsesWith(element);
      return success();
    }
    MemRefType wholeType = access->wholeType();
    bool inPlace = canStayInPlace(load, arraysOf(load.getView())) && !wantsRows(load, wholeType);
    Value buffer;
    OpBuilder entry = atEntry();
    Value isWhole = access->isWhole(builder, loc);
    if (inPlace && isWhole && isReadAlongLines(load, *access, plan)) {
      buffer = access->withEdge(builder, loc, paddingValue(builder, load));
    } else if (inPlace) {
      buffer = bufferOf(load, *access, isWhole, builder, entry);
    } else {
      buffer = memref::AllocOp::create(entry, loc, MemRefType::get(type.getShape(), type.getElementType()));
      if (!isWhole) {
        linalg::CopyOp::create(builder, loc, access->whole(builder, loc), buffer);
      } else {
        auto choice = scf::IfOp::create(builder, loc, TypeRange(), isWhole, /*withElseRegion=*/true);
        OpBuilder then = choice.getThenBodyBuilder();
        linalg::CopyOp::create(then, loc, access->whole(then, loc), buffer);
        OpBuilder otherwise = choice.getElseBodyBuilder();
        CopyInOp::create(otherwise, loc, access->inside(otherwise, loc), buffer, access->elementsBefore(otherwise, loc),
                         paddingValue(otherwise, load));
      }
    }
    auto tile = bufferization::ToTensorOp::create(builder, loc, type, buffer, /*restrict=*/true);
    next.replace(load.getTile(), tile);
    load.getTile().replaceAllUsesWith(tile);
    return success();
  }

  //===-- stores ----------------------------------------------------------===//

  // The loop that computes the stored tile, if it can write straight into the array: the tile has no other use, and
  // the array is not read anywhere, so that it does not matter when it is written.
  linalg::GenericOp findProducer(StoreViewOp store, const ViewAccess &access) {
    auto loop = store.getTile().getDefiningOp<linalg::GenericOp>();
    if (!loop || !store.getTile().hasOneUse() || loop->getBlock() != store->getBlock())
      return nullptr;
    auto result = cast<OpResult>(store.getTile());
    OpOperand *init = loop.getDpsInitOperand(result.getResultNumber());
    if (!init->get().getDefiningOp<tensor::EmptyOp>() || !loop.getMatchingIndexingMap(init).isIdentity() ||
        loop.getNumReductionLoops() != 0 || hasOrdering(loop))
      return nullptr;
    ArraySet arrays = arraysOf(store.getView());
    for (LoadViewOp load : loads)
      if (arrays.mayOverlap(arraysOf(load.getView())))
        return nullptr;
    for (const Write &write : writes)
      if (write.op != store && write.arrays.mayOverlap(arrays) && mayRunBetween(write.op, loop, store))
        return nullptr;
    if (llvm::any_of(reads, [&](const ArraySet &read) { return read.mayOverlap(arrays); }))
      return nullptr;
    DominanceInfo dominance(function);
    SmallVector<Value> inputs = access.inputs();
    if (!canBeKnownBefore(inputs, loop, dominance) || failed(makeKnownBefore(inputs, loop, dominance)))
      return nullptr;
    return loop;
  }

  linalg::GenericOp buildCopy(StoreViewOp store) {
    OpBuilder builder(store);
    auto type = cast<RankedTensorType>(store.getTile().getType());
    Value empty = tensor::EmptyOp::create(builder, store.getLoc(), type.getShape(), type.getElementType());
    AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    return linalg::GenericOp::create(
        builder, store.getLoc(), TypeRange(type), store.getTile(), empty, ArrayRef<AffineMap>{identity, identity},
        iterators,
        [](OpBuilder &body, Location loc, ValueRange args) { linalg::YieldOp::create(body, loc, args.front()); });
  }

  LogicalResult placeStore(StoreViewOp store) {
    Location loc = store.getLoc();
    FailureOr<ViewAccess> access = ViewAccess::of(store);
    if (failed(access))
      return failure();
    OpBuilder builder(store);
    if (!isa<RankedTensorType>(store.getTile().getType())) {
      PtrStoreOp::create(builder, loc, store.getTile(), access->address(builder, loc), isInside(builder, loc, *access),
                         /*ordering=*/tileaa::OrderingAttr());
      return success();
    }
    linalg::GenericOp loop = findProducer(store, *access), part = StoredLoop::of(store);
    if (loop && part) {
      loop = next.fetchWhereWritten(loop);
      OpBuilder entry = atEntry();
      return StoredLoop(loop, *access, streamBytes()).place(entry);
    }
    if (failed(placeWaiting(store.getTile().getDefiningOp<linalg::GenericOp>())))
      return failure();
    unsigned resultNumber = loop ? cast<OpResult>(store.getTile()).getResultNumber() : 0;
    if (!loop)
      loop = buildCopy(store);
    else
      loop = next.fetchWhereWritten(loop);
    builder.setInsertionPoint(loop);
    OpBuilder entry = atEntry();
    MemRefType wholeType = access->wholeType();
    Value isWhole = access->isWhole(builder, loc), buffer;
    if (!isWhole) {
      buffer = access->whole(builder, loc);
    } else if (isWrittenAlongLines(loop, resultNumber, *access, plan)) {
      buffer = access->withEdge(builder, loc);
      isWhole = {};
    } else {
      auto choice = scf::IfOp::create(builder, loc, TypeRange(wholeType), isWhole, /*withElseRegion=*/true);
      OpBuilder then = choice.getThenBodyBuilder();
      scf::YieldOp::create(then, loc, access->whole(then, loc));
      OpBuilder otherwise = choice.getElseBodyBuilder();
      scf::YieldOp::create(otherwise, loc, access->scratchLike(entry, otherwise, loc));
      buffer = choice.getResult(0);
    }
    auto destination = bufferization::ToTensorOp::create(builder, loc, store.getTile().getType(), buffer,
                                                         /*restrict=*/true, /*writable=*/true);
    loop.getDpsInitsMutable()[resultNumber].set(destination);
    streamIfLarge(loop, *access, isWhole, streamBytes());
    if (isWhole) {
      builder.setInsertionPoint(store);
      Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value isEdge = arith::XOrIOp::create(builder, loc, isWhole, truth);
      auto edge = scf::IfOp::create(builder, loc, TypeRange(), isEdge, /*withElseRegion=*/false);
      OpBuilder then = edge.getThenBodyBuilder();
      CopyOutOp::create(then, loc, buffer, access->inside(then, loc), access->elementsBefore(then, loc));
    }
    return success();
  }

  // An array larger than the cache is written past it, unless something is ordered: such stores are ordered with
  // nothing.
  int64_t streamBytes() const { return ordersStores ? 0 : plan.streamBytes; }

  OpBuilder atEntry() { return OpBuilder::atBlockBegin(&function.getBody().front()); }

  func::FuncOp function;
  Plan plan;
  NextBlock next;
  SmallVector<LoadViewOp> loads;
  SmallVector<StoreViewOp> stores;
  SmallVector<Write> writes;
  SmallVector<ArraySet> reads; // of plain loads through addresses
  bool ordersStores = false;   // something in the kernel has an ordering
};

struct CpuPlaceLoads : tilewright::impl::CpuPlaceLoadsBase<CpuPlaceLoads> {
  void runOnOperation() override {
    if (tileaa::isKernel(getOperation()) && failed(Placer(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
