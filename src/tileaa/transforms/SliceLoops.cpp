// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Slices.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/CombineTiles.h"
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/SliceChain.h"
#include "tileaa/transforms/SliceRegion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tilewright {
#define GEN_PASS_DEF_SLICELOOPSPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::SliceRegion;
using tileaa::TileSlice;

namespace {

// Of the rows and columns of a product: the best size for warpgroups.
constexpr int64_t leastOfProduct = 128;
// Each slices one dimension of a tile; a sliced operation is no seed any more.
constexpr int mostRounds = 64;

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

/// Writes the loop over the slices of a region.
class Emission {
public:
  Emission(const SliceRegion &region, int64_t count, int64_t smallElements)
      : region(region), builder(region.ops().back()), count(count), smallElements(smallElements) {}

  void run() {
    Location loc = region.ops().back()->getLoc();
    auto index = [&](int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); };
    SmallVector<Value> initial = llvm::map_to_vector(region.leaving(), [&](Value result) { return initialOf(result); });
    for (Operation *op : region.scans())
      for (auto [result, identity] : llvm::zip_equal(op->getResults(), cast<tileaa::ScanOp>(op).getIdentities()))
        initial.push_back(tileaa::BroadcastOp::create(builder, loc, lastOf(op, result), identity));
    auto loop = scf::ForOp::create(builder, loc, index(0), index(count), index(1), initial);
    builder.setInsertionPointToStart(loop.getBody());
    number = loop.getInductionVar();
    SmallVector<Value> entering;
    for (auto [operand, slice] : region.entering())
      entering.push_back(enter(operand->get(), slice));
    for (Operation *op : region.ops())
      builder.clone(*op, mapping);
    for (auto [entry, value] : llvm::zip_equal(region.entering(), entering))
      mapping.lookup(entry.first->getOwner())->setOperand(entry.first->getOperandNumber(), value);
    for (auto [value, slice] : region.slices())
      mapping.lookup(value).setType(slice.typeIn(typeOf(value)));
    for (auto [value, slice] : region.slices())
      if (Operation *op = value.getDefiningOp())
        adjust(mapping.lookup(op), typeOf(value), slice);
    for (auto [op, slice] : region.accesses())
      move(mapping.lookup(op), slice);
    size_t leaving = region.leaving().size();
    SmallVector<Value> last = goOn(loop.getRegionIterArgs().drop_front(leaving));
    if (!initial.empty()) {
      builder.setInsertionPointToEnd(loop.getBody());
      SmallVector<Value> after = leave(loop.getRegionIterArgs().take_front(leaving));
      after.append(last);
      scf::YieldOp::create(builder, loc, after);
    }
    for (auto [before, after] : llvm::zip_equal(region.leaving(), loop.getResults().take_front(leaving)))
      Value(before).replaceUsesWithIf(after, [&](OpOperand &use) { return !isInRegion(use.getOwner()); });
    for (Operation *op : llvm::reverse(region.ops()))
      op->erase();
  }

private:
  bool isInRegion(Operation *op) const {
    Operation *root = region.ops().front()->getBlock()->findAncestorOpInBlock(*op);
    return root && llvm::is_contained(region.ops(), root);
  }

  Value initialOf(Value result) {
    Location loc = result.getLoc();
    if (isa<tileaa::TokenType>(result.getType()))
      return tileaa::MakeTokenOp::create(builder, loc);
    Operation *op = result.getDefiningOp();
    if (region.reductions().contains(op)) {
      Value identity = cast<tileaa::ReduceOp>(op).getIdentities()[cast<OpResult>(result).getResultNumber()];
      return tileaa::BroadcastOp::create(builder, loc, result.getType(), identity);
    }
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(result.getType()));
  }

  Value enter(Value tile, TileSlice slice) {
    Value &known = entered[tileaa::SliceChain::keyOf(tile, slice)];
    if (!known) {
      tileaa::SliceChain chain(region.ops().back(), tile, slice, smallElements, /*mayLoadAgain=*/true);
      known = tileaa::SliceEmitter(chain, builder, number).emit(tile, slice);
    }
    return known;
  }

  // Attributes and values that follow from the shape of a tile.
  void adjust(Operation *op, RankedTensorType whole, TileSlice slice) {
    Location loc = op->getLoc();
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)))
      op->setAttr("value", constant.resizeSplat(slice.typeIn(whole)));
    if (!isa<tileaa::IotaOp>(op))
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(op);
    Value first = arith::IndexCastOp::create(builder, loc, whole.getElementType(), slice.offset(builder, loc, number));
    Value moved = arith::AddIOp::create(builder, loc, op->getResult(0),
                                        tileaa::BroadcastOp::create(builder, loc, op->getResult(0).getType(), first));
    op->getResult(0).replaceAllUsesExcept(moved, moved.getDefiningOp());
  }

  void move(Operation *op, TileSlice slice) {
    auto moveAccess = [&](auto access) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(op);
      OpOperand &offset = access.getOffsetsMutable()[access.getDimMap()[slice.dim]];
      offset.set(slice.offsetFrom(offset.get(), builder, op->getLoc(), number));
    };
    if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
      moveAccess(load);
    else if (auto store = dyn_cast<tileaa::StoreViewOp>(op))
      moveAccess(store);
  }

  // Of what a scan gives the last along its dimension, which has one element there.
  static RankedTensorType lastOf(Operation *scan, Value result) {
    return TileSlice{int64_t(cast<tileaa::ScanOp>(scan).getDim()), 1}.typeIn(typeOf(result));
  }

  // Each scan of a slice goes on from the last elements `before` of the slice before; its own last elements.
  SmallVector<Value> goOn(ValueRange before) {
    SmallVector<Value> last;
    for (Operation *op : region.scans()) {
      auto scan = cast<tileaa::ScanOp>(mapping.lookup(op));
      Location loc = scan.getLoc();
      Operation *next = scan->getNextNode();
      builder.setInsertionPoint(next);
      SmallVector<Value> values(scan.getResults()), sums;
      for (Value value : values)
        sums.push_back(tileaa::BroadcastOp::create(builder, loc, value.getType(), before[last.size() + sums.size()]));
      SmallVector<Value> combined = tileaa::combineTiles(scan.getBody().front(), sums, values, builder, loc);
      for (auto [value, both] : llvm::zip_equal(values, combined))
        value.replaceUsesWithIf(both, [&](OpOperand &use) {
          return use.getOwner()->getBlock() != scan->getBlock() || !use.getOwner()->isBeforeInBlock(next);
        });
      builder.setInsertionPoint(next);
      last.append(lastElements(scan, combined));
    }
    return last;
  }

  // A reduction of tiles in which all other elements are the identity.
  SmallVector<Value> lastElements(tileaa::ScanOp scan, ValueRange tiles) {
    Location loc = scan.getLoc();
    int64_t dim = scan.getDim(), extent = typeOf(tiles[0]).getDimSize(dim);
    auto onLine = typeOf(tiles[0]).clone(builder.getI32Type());
    SmallVector<int64_t> line(onLine.getRank(), 1);
    line[dim] = extent;
    Value numbers = tileaa::IotaOp::create(builder, loc, RankedTensorType::get({extent}, builder.getI32Type()));
    numbers = tileaa::ReshapeOp::create(builder, loc, onLine.clone(line), numbers);
    Value end = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(onLine, int32_t(extent - 1)));
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         tileaa::BroadcastOp::create(builder, loc, onLine, numbers), end);
    SmallVector<Value> masked;
    SmallVector<Type> types;
    for (auto [tile, identity] : llvm::zip_equal(tiles, scan.getIdentities())) {
      Value others = tileaa::BroadcastOp::create(builder, loc, tile.getType(), identity);
      masked.push_back(arith::SelectOp::create(builder, loc, isLast, tile, others));
      SmallVector<int64_t> rest(typeOf(tile).getShape());
      rest.erase(rest.begin() + dim);
      types.push_back(rest.empty() ? typeOf(tile).getElementType() : typeOf(tile).clone(rest));
    }
    auto reduce = tileaa::ReduceOp::create(builder, loc, types, masked, scan.getIdentities(), dim);
    IRMapping steps;
    scan.getBody().cloneInto(&reduce.getBody(), steps);
    SmallVector<Value> last;
    for (auto [result, tile] : llvm::zip_equal(reduce.getResults(), tiles)) {
      RankedTensorType type = TileSlice{dim, 1}.typeIn(typeOf(tile));
      last.push_back(tileaa::ReshapeOp::create(builder, loc, type, result));
    }
    return last;
  }

  SmallVector<Value> leave(ValueRange before) {
    SmallVector<Value> after;
    DenseMap<Value, Value> combined;
    for (auto [result, old] : llvm::zip_equal(region.leaving(), before)) {
      Value now = mapping.lookup(result);
      if (isa<tileaa::TokenType>(result.getType()))
        now = tileaa::joinTokens(builder, result.getLoc(), {old, now});
      after.push_back(now);
    }
    for (Operation *op : region.reductions()) {
      SmallVector<Value> partial, sums;
      SmallVector<size_t> places;
      for (Value result : op->getResults()) {
        auto place = llvm::find(region.leaving(), result);
        places.push_back(place - region.leaving().begin());
        sums.push_back(place == region.leaving().end() ? mapping.lookup(result) : before[places.back()]);
        partial.push_back(mapping.lookup(result));
      }
      SmallVector<Value> both =
          tileaa::combineTiles(cast<tileaa::ReduceOp>(op).getBody().front(), sums, partial, builder, op->getLoc());
      for (auto [place, value] : llvm::zip_equal(places, both))
        if (place != after.size())
          after[place] = value;
    }
    return after;
  }

  const SliceRegion &region;
  OpBuilder builder;
  int64_t count, smallElements;
  Value number;
  IRMapping mapping;
  DenseMap<tileaa::SliceChain::Key, Value> entered;
};

class SliceLoops : public tilewright::impl::SliceLoopsPassBase<SliceLoops> {
public:
  using SliceLoopsPassBase::SliceLoopsPassBase;

private:
  void runOnOperation() override {
    wanted = tileaa::sliceAsked(getOperation()).value_or(sliceElements);
    for (int round = 0; round != mostRounds && sliceOne(); ++round) {
      IRRewriter rewriter(&getContext());
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
    }
  }

  // Outermost loops first: they may carry the values of inner ones, too.
  bool sliceOne() {
    return getOperation()
        .walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<RegionBranchOpInterface, tileaa::MmaOp, tileaa::ScanOp, tileaa::ReduceOp>(op))
            for (Value result : op->getResults())
              if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && type.getNumElements() > limit)
                if (slice(result))
                  return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  }

  // Along a dimension of which partial results would be combined, or that a scan is along, where no other can be
  // sliced.
  bool slice(Value seed) {
    RankedTensorType type = typeOf(seed);
    bool multiplies =
        seed.getDefiningOp()->walk([](tileaa::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    for (bool mayReduce : {false, true})
      for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
        int64_t least = multiplies && int64_t(dim) >= type.getRank() - 2 ? leastOfProduct : 1;
        int64_t most = llvm::divideCeil(type.getNumElements(), wanted);
        int64_t count = std::min(extent / std::min(extent, least), most);
        if (count > 1 && sliceAlong(seed, {int64_t(dim), extent / count}, mayReduce))
          return true;
      }
    return false;
  }

  bool sliceAlong(Value seed, TileSlice slice, bool mayReduce) {
    SliceRegion region(seed, slice, sliceElements);
    if (!region || (!mayReduce && !(region.reductions().empty() && region.scans().empty())))
      return false;
    RankedTensorType type = typeOf(seed);
    note(type, slice);
    Emission(region, type.getDimSize(slice.dim) / slice.size, sliceElements).run();
    return true;
  }

  // Records the decision.
  void note(RankedTensorType type, TileSlice slice) {
    tileaa::noteSlices(getOperation(), type, slice.typeIn(type).getShape());
    tileaa::setSliceMade(getOperation(), wanted);
  }

  int64_t wanted = 0; // elements of a slice
};

} // namespace
