// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Slices.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/CombineTiles.h"
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/SliceChain.h"
#include "tileaa/transforms/TilePart.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {
#define GEN_PASS_DEF_SLICEANDFUSEPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::SliceChain;
using tileaa::SliceEmitter;
using tileaa::TileSlice;

namespace {

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

class SliceAndFuse : public tilewright::impl::SliceAndFusePassBase<SliceAndFuse> {
public:
  using SliceAndFusePassBase::SliceAndFusePassBase;

private:
  void runOnOperation() override {
    wanted = tileaa::sliceAsked(getOperation()).value_or(slice);
    SmallVector<Operation *> sinks;
    getOperation().walk([&](Operation *op) {
      if (isa<tileaa::StoreViewOp, tileaa::StorePtrOp, tileaa::ReduceOp>(op))
        sinks.push_back(op);
    });
    while (!sinks.empty()) {
      Operation *sink = sinks.pop_back_val();
      if (auto store = dyn_cast<tileaa::StoreViewOp>(sink))
        sinks.append(rewrite(store));
      else if (auto store = dyn_cast<tileaa::StorePtrOp>(sink))
        sinks.append(rewrite(store));
      else
        rewrite(cast<tileaa::ReduceOp>(sink));
    }
  }

  // Records the decision.
  void note(RankedTensorType type, TileSlice slice) {
    tileaa::noteSlices(getOperation(), type, slice.typeIn(type).getShape());
    tileaa::setSliceMade(getOperation(), wanted);
  }

  // The limit is half as large for tiles whose loads have no other uses; loading again for other uses costs more, so
  // those tiles are kept whole for longer.
  bool isLarge(Type type, bool isAlone = true) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getNumElements() > (isAlone ? limit / 2 : limit);
  }

  // As many elements of a dimension as fit, one at least.
  TileSlice sliceOf(RankedTensorType type, int64_t dim) const {
    int64_t others = type.getNumElements() / type.getDimSize(dim);
    return {dim, std::clamp<int64_t>(wanted / others, 1, type.getDimSize(dim))};
  }

  // The builder then stands in the loop.
  static scf::ForOp loopOver(RankedTensorType type, TileSlice slice, ValueRange carried, OpBuilder &builder,
                             Location loc) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value turns = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(slice.dim) / slice.size);
    auto loop = scf::ForOp::create(builder, loc, zero, turns, one, carried);
    builder.setInsertionPointToStart(loop.getBody());
    return loop;
  }

  // The tiles of a store of which slices are stored, as its operands; nothing where it cannot be sliced.
  static SmallVector<OpOperand *> tilesOf(tileaa::StoreViewOp store) { return {&store.getTileMutable()}; }
  static SmallVector<OpOperand *> tilesOf(tileaa::StorePtrOp store) {
    if (store.getOrdering())
      return {};
    SmallVector<OpOperand *> tiles = {&store.getTileMutable(), &store.getAddressesMutable()};
    for (OpOperand &mask : store.getMaskMutable())
      tiles.push_back(&mask);
    return tiles;
  }

  // A store of slices, which may have to be sliced again along the next dimension. Nothing where it stays.
  template <typename Store> SmallVector<Operation *> rewrite(Store store) {
    SmallVector<OpOperand *> operands = tilesOf(store);
    if (!isLarge(store.getTile().getType()) || operands.empty())
      return {};
    RankedTensorType type = typeOf(store.getTile());
    TileSlice slice = sliceOf(type, tileaa::outermostDim(type.getShape()));
    SmallVector<Value> tiles = llvm::map_to_vector(operands, [](OpOperand *operand) { return operand->get(); });
    SliceChain chain(store, tiles, slice, smallElements());
    if (!chain || !isLarge(type, chain.isAlone()))
      return {};
    note(type, slice);
    Location loc = store.getLoc();
    OpBuilder builder(store);
    Value before = store.getToken() ? store.getToken() : tileaa::MakeTokenOp::create(builder, loc).getResult();
    scf::ForOp loop = loopOver(type, slice, before, builder, loc);
    SliceEmitter slices(chain, builder, loop.getInductionVar());
    Store copy = storeSlice(store, operands, slice, slices, builder, loop.getInductionVar());
    SmallVector<Value> done = {loop.getRegionIterArg(0), copy.getResultToken()};
    if (chain.isAfterLoads())
      storeAfterLoads(copy, before, slices);
    else if (chain.hasLaterAccesses())
      llvm::append_range(done, slices.tokens());
    scf::YieldOp::create(builder, loc, tileaa::joinTokens(builder, loc, done));
    chain.orderLaterAccesses(loop.getResult(0));
    store.getResultToken().replaceAllUsesWith(loop.getResult(0));
    store.erase();
    tileaa::eraseUnusedTiles(tiles); // unused loads must not order other accesses
    return {copy};
  }

  // The store of one slice.
  template <typename Store>
  static Store storeSlice(Store store, ArrayRef<OpOperand *> operands, TileSlice slice, SliceEmitter &slices,
                          OpBuilder &builder, Value number) {
    constexpr bool isView = std::is_same_v<Store, tileaa::StoreViewOp>;
    SmallVector<Value> parts =
        llvm::map_to_vector(operands, [&](OpOperand *operand) { return slices.emit(operand->get(), slice); });
    Value offset;
    if constexpr (isView)
      offset = slice.offsetFrom(store.getOffsets()[store.getDimMap()[slice.dim]], builder, store.getLoc(), number);
    auto copy = cast<Store>(builder.clone(*store));
    for (auto [operand, part] : llvm::zip_equal(operands, parts))
      copy->setOperand(operand->getOperandNumber(), part);
    if constexpr (isView)
      copy.getOffsetsMutable()[copy.getDimMap()[slice.dim]].set(offset);
    return copy;
  }

  // In place, each slice is written after it was read.
  template <typename Store> static void storeAfterLoads(Store copy, Value before, const SliceEmitter &slices) {
    OpBuilder builder(copy);
    SmallVector<Value> reads(slices.tokens());
    reads.push_back(before);
    copy.getTokenMutable().assign(tileaa::joinTokens(builder, copy.getLoc(), reads));
  }

  static bool isElementwise(Block &step) {
    return llvm::all_of(step.without_terminator(), [](Operation &op) {
      return (op.hasTrait<OpTrait::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>()) && isPure(&op);
    });
  }

  // Slices are combined element by element, and what is left as one tile is reduced.
  void rewrite(tileaa::ReduceOp reduce) {
    RankedTensorType type = typeOf(reduce.getSources()[0]);
    TileSlice slice = sliceOf(type, reduce.getDim());
    if (!isLarge(type) || isLarge(slice.typeIn(type)) || !isElementwise(reduce.getBody().front()))
      return;
    SmallVector<Value> tiles(reduce.getSources());
    SliceChain chain(reduce, tiles, slice, smallElements());
    if (!chain || !isLarge(type, chain.isAlone()))
      return;
    note(type, slice);
    Location loc = reduce.getLoc();
    OpBuilder builder(reduce);
    SmallVector<Value> carried;
    for (auto [tile, identity] : llvm::zip_equal(tiles, reduce.getIdentities()))
      carried.push_back(tileaa::BroadcastOp::create(builder, loc, slice.typeIn(typeOf(tile)), identity));
    carried.push_back(tileaa::MakeTokenOp::create(builder, loc));
    scf::ForOp loop = loopOver(type, slice, carried, builder, loc);
    SliceEmitter slices(chain, builder, loop.getInductionVar());
    SmallVector<Value> parts = llvm::map_to_vector(tiles, [&](Value tile) { return slices.emit(tile, slice); });
    SmallVector<Value> results = tileaa::combineTiles(
        reduce.getBody().front(), llvm::to_vector_of<Value>(loop.getRegionIterArgs().drop_back()), parts, builder, loc);
    SmallVector<Value> tokens = {loop.getRegionIterArgs().back()};
    llvm::append_range(tokens, slices.tokens());
    results.push_back(tileaa::joinTokens(builder, loc, tokens));
    scf::YieldOp::create(builder, loc, results);
    chain.orderLaterAccesses(loop.getResults().back());
    reduce.getSourcesMutable().assign(loop.getResults().drop_back());
    tileaa::eraseUnusedTiles(tiles); // unused loads must not order other accesses
  }

  // Whole tiles of which slices are taken have to leave room for the slices. It does not depend on a plan file, so that
  // one that asks for small slices slices the same tiles.
  int64_t smallElements() const { return slice; }

  int64_t wanted = 0; // elements of a slice
};

} // namespace
