// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/CombineTiles.h"
#include "tileaa/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tilewright {
#define GEN_PASS_DEF_SLICEANDFUSEPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

/// A slice of a tile: of dimension `dim` the `size` elements from `number` times `size` on, where `number` is the turn
/// of a loop; all of the other dimensions.
struct Slice {
  int64_t dim, size;

  bool operator==(Slice other) const { return dim == other.dim && size == other.size; }
};

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

RankedTensorType sliced(RankedTensorType type, Slice slice) {
  SmallVector<int64_t> shape(type.getShape());
  shape[slice.dim] = slice.size;
  return type.clone(shape);
}

// The first dimension that has more than one element: what is before it makes no difference to the order of elements.
int64_t outermost(ArrayRef<int64_t> shape) {
  return std::distance(shape.begin(), llvm::find_if(shape, [](int64_t extent) { return extent != 1; }));
}

// The elements of a slice under another shape, if they are a slice there too.
std::optional<Slice> reshaped(ArrayRef<int64_t> from, Slice slice, ArrayRef<int64_t> to) {
  // A slice of the outermost dimension is one run of elements.
  if (slice.dim == outermost(from)) {
    int64_t elements = slice.size * llvm::product_of(from.drop_front(slice.dim + 1)), dim = outermost(to);
    int64_t inner = llvm::product_of(to.drop_front(dim + 1));
    if (elements % inner != 0)
      return std::nullopt;
    return Slice{dim, elements / inner};
  }
  // Otherwise the dimension has to be there, with as many elements before it.
  int64_t before = llvm::product_of(from.take_front(slice.dim));
  for (int64_t dim = 0; dim != static_cast<int64_t>(to.size()); ++dim)
    if (to[dim] == from[slice.dim] && llvm::product_of(to.take_front(dim)) == before)
      return Slice{dim, slice.size};
  return std::nullopt;
}

// Where a slice begins in its tile.
Value offsetOf(Slice slice, OpBuilder &builder, Location loc, Value number) {
  return arith::MulIOp::create(builder, loc, number, arith::ConstantIndexOp::create(builder, loc, slice.size));
}

// Where it begins in a view, in which the tile begins at `start`.
Value moved(Value start, Slice slice, OpBuilder &builder, Location loc, Value number) {
  return arith::AddIOp::create(builder, loc, start, offsetOf(slice, builder, loc, number));
}

/// The operands of an operation of which a slice of its result takes slices; it takes all of the others.
using Sources = SmallVector<std::pair<OpOperand *, Slice>>;

// Nothing if a slice of the result is not that operation on slices.
std::optional<Sources> sourcesOf(Operation *op, Slice slice) {
  auto alike = [&](MutableOperandRange operands) {
    Sources sources;
    for (OpOperand &operand : operands)
      if (isa<RankedTensorType>(operand.get().getType()))
        sources.push_back({&operand, slice});
    return sources;
  };
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat() ? std::optional(Sources()) : std::nullopt;
  if (isa<tileaa::IotaOp, tileaa::LoadViewOp>(op))
    return Sources();
  if (auto load = dyn_cast<tileaa::LoadPtrOp>(op)) {
    if (load.getOrdering())
      return std::nullopt;
    Sources sources = alike(load.getAddressesMutable());
    llvm::append_range(sources, alike(load.getMaskMutable()));
    llvm::append_range(sources, alike(load.getPaddingMutable()));
    return sources;
  }
  if (auto permute = dyn_cast<tileaa::PermuteOp>(op))
    return Sources{{&permute.getSourceMutable(), {permute.getPermutation()[slice.dim], slice.size}}};
  if (auto broadcast = dyn_cast<tileaa::BroadcastOp>(op)) {
    auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
    if (!source || source.getDimSize(slice.dim) == 1)
      return Sources();
    return Sources{{&broadcast.getSourceMutable(), slice}};
  }
  if (auto reshape = dyn_cast<tileaa::ReshapeOp>(op)) {
    auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
    auto inner = source ? reshaped(typeOf(reshape.getResult()).getShape(), slice, source.getShape()) : std::nullopt;
    return inner ? std::optional(Sources{{&reshape.getSourceMutable(), *inner}}) : std::nullopt;
  }
  if (op->hasTrait<OpTrait::Elementwise>() && isPure(op) && op->getNumResults() == 1)
    return alike(MutableOperandRange(op));
  return std::nullopt;
}

/// The producers of a stored or reduced large tile, by slices: the operations that are fused into the loop, and the
/// small tiles of which slices are extracted.
///
///   %x = load_view %v[%i]               with the store of %y in slices of 2 rows:
///   %r = arith.addf %x, %x              %x, %r and the sum are done on 2 rows, and 2 numbers of %sums are extracted
///   %s = broadcast %sums
///   %y = arith.addf %r, %s
class Chain {
public:
  Chain(Operation *sink, ArrayRef<Value> tiles, Slice slice, int64_t smallElements)
      : sink(sink), slice(slice), smallElements(smallElements) {
    canSlice = llvm::all_of(tiles, [&](Value tile) { return plan(tile, slice); });
    canSlice &= llvm::all_of(loads, [&](const auto &load) { return mayWait(load.first, load.second); });
  }

  explicit operator bool() const { return canSlice; }

  // Its loads have no other uses.
  bool isAlone() const {
    return llvm::all_of(loads, [&](const auto &load) {
      return llvm::all_of(load.first->getResult(0).getUsers(),
                          [&](Operation *user) { return user == sink || fused.contains(user); });
    });
  }

  // The slice of one of the tiles for an iteration of the loop, created at the builder's insertion point.
  Value make(Value tile, Slice slice, OpBuilder &builder, Value number) {
    Key key = keyOf(tile, slice);
    if (Value known = made.lookup(key))
      return known;
    Value value = isFused.lookup(key) ? again(tile, slice, builder, number) : extract(tile, slice, builder, number);
    return made[key] = value;
  }

  // Whether the sink comes after a load by its token.
  bool isAfterLoads = false;
  // After make: what the loads of a turn gave.
  SmallVector<Value> tokens;
  // Uses behind the sink of tokens that come from a load.
  SmallVector<OpOperand *> later;

private:
  using Key = std::pair<Value, std::pair<int64_t, int64_t>>;
  static Key keyOf(Value tile, Slice slice) { return {tile, {slice.dim, slice.size}}; }

  bool plan(Value tile, Slice slice) {
    auto [place, isNew] = isFused.try_emplace(keyOf(tile, slice), false);
    bool isSmall = typeOf(tile).getNumElements() <= smallElements;
    if (!isNew)
      return place->second || isSmall;
    Operation *op = tile.getDefiningOp();
    bool isLoad = isa_and_nonnull<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op);
    std::optional<Sources> sources = op ? sourcesOf(op, slice) : std::nullopt;
    if (!sources || (isLoad && op->getBlock() != sink->getBlock()) ||
        !llvm::all_of(*sources, [&](const auto &source) { return plan(source.first->get(), source.second); }))
      return isSmall;
    if (isLoad)
      loads.push_back({op, slice});
    isFused[keyOf(tile, slice)] = true;
    fused.insert(op);
    return true;
  }

  // A load that waits for its slice comes after what stands between it and the sink: not where something there comes
  // after the load. The sink may, if each of its slices is in the place of the one that was loaded.
  bool mayWait(Operation *load, Slice loaded) {
    SmallVector<Value> after = {load->getResult(1)};
    llvm::SmallPtrSet<Operation *, 8> joins;
    while (!after.empty())
      for (OpOperand &use : after.pop_back_val().getUses()) {
        Operation *user = use.getOwner(), *place = sink->getBlock()->findAncestorOpInBlock(*user);
        if (isa<tileaa::JoinTokensOp>(user) && place == user) {
          if (joins.insert(user).second)
            after.push_back(user->getResult(0));
        } else if (!place || (place == sink && !isInPlace(load, loaded)) ||
                   (place != sink && place->isBeforeInBlock(sink))) {
          return false;
        } else if (place == sink) {
          isAfterLoads = true;
        } else {
          later.push_back(&use);
        }
      }
    return true;
  }

  // Addresses may be the same in two slices.
  bool isInPlace(Operation *op, Slice loaded) const {
    auto load = dyn_cast<tileaa::LoadViewOp>(op);
    auto store = dyn_cast<tileaa::StoreViewOp>(sink);
    return load && store && loaded == slice && store.getView() == load.getView() &&
           store.getOffsets() == load.getOffsets() && store.getDimMap() == load.getDimMap();
  }

  Value extract(Value tile, Slice slice, OpBuilder &builder, Value number) {
    Location loc = tile.getLoc();
    SmallVector<Value> offsets(typeOf(tile).getRank(), arith::ConstantIndexOp::create(builder, loc, 0));
    offsets[slice.dim] = offsetOf(slice, builder, loc, number);
    return tileaa::ExtractOp::create(builder, loc, sliced(typeOf(tile), slice), tile, offsets);
  }

  // The operation that made the tile, on slices.
  Value again(Value tile, Slice slice, OpBuilder &builder, Value number) {
    Operation *op = tile.getDefiningOp();
    Location loc = op->getLoc();
    RankedTensorType type = sliced(typeOf(tile), slice);
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)))
      return arith::ConstantOp::create(builder, loc, constant.resizeSplat(type));
    if (isa<tileaa::IotaOp>(op)) {
      Value first =
          arith::IndexCastOp::create(builder, loc, type.getElementType(), offsetOf(slice, builder, loc, number));
      return arith::AddIOp::create(builder, loc, tileaa::IotaOp::create(builder, loc, type),
                                   tileaa::BroadcastOp::create(builder, loc, type, first));
    }
    Sources sources = *sourcesOf(op, slice);
    SmallVector<std::pair<unsigned, Value>> operands;
    for (auto [operand, part] : sources)
      operands.push_back({operand->getOperandNumber(), make(operand->get(), part, builder, number)});
    Value offset;
    if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
      offset = moved(load.getOffsets()[load.getDimMap()[slice.dim]], slice, builder, loc, number);
    Operation *copy = builder.clone(*op);
    for (auto [place, part] : operands)
      copy->setOperand(place, part);
    copy->getResult(0).setType(type);
    if (auto load = dyn_cast<tileaa::LoadViewOp>(copy))
      load.getOffsetsMutable()[load.getDimMap()[slice.dim]].set(offset);
    if (isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(copy))
      tokens.push_back(copy->getResult(1));
    return copy->getResult(0);
  }

  Operation *sink;
  Slice slice;
  int64_t smallElements;
  bool canSlice;
  DenseMap<Key, bool> isFused;
  llvm::SmallPtrSet<Operation *, 8> fused;
  DenseMap<Key, Value> made;
  SmallVector<std::pair<Operation *, Slice>> loads;
};

Value join(OpBuilder &builder, Location loc, ValueRange tokens) {
  return tokens.size() == 1 ? tokens[0] : tileaa::JoinTokensOp::create(builder, loc, tokens).getResult();
}

class SliceAndFuse : public tilewright::impl::SliceAndFusePassBase<SliceAndFuse> {
public:
  using SliceAndFusePassBase::SliceAndFusePassBase;

private:
  void runOnOperation() override {
    noted.clear();
    if (auto known = getOperation()->getAttrOfType<ArrayAttr>(tileaa::slicesAttr)) // of products
      for (auto text : known.getAsRange<StringAttr>())
        noted.insert(text.getValue());
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
    if (!noted.empty())
      getOperation()->setAttr(tileaa::slicesAttr, Builder(&getContext()).getStrArrayAttr(noted.getArrayRef()));
  }

  // For whoever asks what was decided.
  void note(RankedTensorType type, Slice slice) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(type.getShape(), os, "x");
    os << 'x' << type.getElementType() << " by ";
    llvm::interleave(sliced(type, slice).getShape(), os, "x");
    noted.insert(Builder(&getContext()).getStringAttr(text).getValue());
  }

  // The limit is half as large for tiles whose loads have no other uses; loading again for other uses costs more, so
  // those tiles are kept whole for longer.
  bool isLarge(Type type, bool isAlone = true) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getNumElements() > (isAlone ? limit / 2 : limit);
  }

  // As many elements of a dimension as fit, one at least.
  Slice sliceOf(RankedTensorType type, int64_t dim) const {
    int64_t others = type.getNumElements() / type.getDimSize(dim);
    return {dim, std::clamp<int64_t>(slice / others, 1, type.getDimSize(dim))};
  }

  // The builder then stands in the loop.
  static scf::ForOp loopOver(RankedTensorType type, Slice slice, ValueRange carried, OpBuilder &builder, Location loc) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value turns = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(slice.dim) / slice.size);
    auto loop = scf::ForOp::create(builder, loc, zero, turns, one, carried);
    builder.setInsertionPointToStart(loop.getBody());
    return loop;
  }

  // Accesses ordered after a load are ordered after the loop with its slices, too.
  static void comeAfter(Chain &chain, Value done) {
    for (OpOperand *use : chain.later) {
      OpBuilder builder(use->getOwner());
      use->set(join(builder, use->getOwner()->getLoc(), {use->get(), done}));
    }
  }

  // Loads that nobody reads any more are no reason for anything to wait.
  static void eraseUnused(ValueRange tiles) {
    llvm::SmallSetVector<Operation *, 8> rest;
    auto look = [&](ValueRange values) {
      for (Value value : values)
        if (Operation *op = value.getDefiningOp())
          rest.insert(op);
    };
    look(tiles);
    while (!rest.empty()) {
      Operation *op = rest.pop_back_val();
      bool isLoad = isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op);
      if (isLoad ? !op->getResult(0).use_empty() : !op->use_empty() || !isPure(op))
        continue;
      if (isLoad && !op->getResult(1).use_empty()) {
        OpBuilder builder(op);
        auto view = dyn_cast<tileaa::LoadViewOp>(op);
        Value before = view ? view.getToken() : cast<tileaa::LoadPtrOp>(op).getToken();
        op->getResult(1).replaceAllUsesWith(before ? before
                                                   : tileaa::MakeTokenOp::create(builder, op->getLoc()).getResult());
      }
      look(op->getOperands());
      op->erase();
    }
  }

  // A store of slices, which may have to be sliced again along the next dimension. Nothing where it stays.
  template <typename Store> SmallVector<Operation *> rewrite(Store store) {
    if (!isLarge(store.getTile().getType()))
      return {};
    RankedTensorType type = typeOf(store.getTile());
    Slice slice = sliceOf(type, outermost(type.getShape()));
    constexpr bool isView = std::is_same_v<Store, tileaa::StoreViewOp>;
    SmallVector<unsigned> places = {store.getTileMutable().getOperandNumber()};
    if constexpr (!isView) {
      if (store.getOrdering())
        return {};
      places.push_back(store.getAddressesMutable().getOperandNumber());
      if (store.getMask())
        places.push_back(store.getMaskMutable()[0].getOperandNumber());
    }
    SmallVector<Value> tiles;
    for (unsigned place : places)
      tiles.push_back(store->getOperand(place));
    Chain chain(store, tiles, slice, smallElements());
    if (!chain || !isLarge(type, chain.isAlone()))
      return {};
    note(type, slice);
    Location loc = store.getLoc();
    OpBuilder builder(store);
    Value before = store.getToken();
    if (!before)
      before = tileaa::MakeTokenOp::create(builder, loc);
    scf::ForOp loop = loopOver(type, slice, before, builder, loc);
    Value number = loop.getInductionVar();
    SmallVector<Value> parts;
    for (Value tile : tiles)
      parts.push_back(chain.make(tile, slice, builder, number));
    Value offset;
    if constexpr (isView)
      offset = moved(store.getOffsets()[store.getDimMap()[slice.dim]], slice, builder, loc, number);
    auto copy = cast<Store>(builder.clone(*store));
    for (auto [place, part] : llvm::zip_equal(places, parts))
      copy->setOperand(place, part);
    if constexpr (isView)
      copy.getOffsetsMutable()[copy.getDimMap()[slice.dim]].set(offset);
    SmallVector<Value> done = {loop.getRegionIterArg(0), copy.getResultToken()};
    if (chain.isAfterLoads) {
      // In place, each slice is written after it was read.
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(copy);
      SmallVector<Value> reads = chain.tokens;
      reads.push_back(before);
      copy.getTokenMutable().assign(join(builder, loc, reads));
    } else if (!chain.later.empty()) {
      llvm::append_range(done, chain.tokens);
    }
    scf::YieldOp::create(builder, loc, join(builder, loc, done));
    comeAfter(chain, loop.getResult(0));
    store.getResultToken().replaceAllUsesWith(loop.getResult(0));
    store.erase();
    eraseUnused(tiles);
    return {copy};
  }

  // Slices are combined element by element, and what is left as one tile is reduced.
  void rewrite(tileaa::ReduceOp reduce) {
    RankedTensorType type = typeOf(reduce.getSources()[0]);
    Slice slice = sliceOf(type, reduce.getDim());
    bool isStep = llvm::all_of(reduce.getBody().front().without_terminator(), [](Operation &op) {
      return (op.hasTrait<OpTrait::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>()) && isPure(&op);
    });
    if (!isLarge(type) || isLarge(sliced(type, slice)) || !isStep)
      return;
    SmallVector<Value> tiles(reduce.getSources());
    Chain chain(reduce, tiles, slice, smallElements());
    if (!chain || !isLarge(type, chain.isAlone()))
      return;
    note(type, slice);
    Location loc = reduce.getLoc();
    OpBuilder builder(reduce);
    SmallVector<Value> carried;
    for (auto [tile, identity] : llvm::zip_equal(tiles, reduce.getIdentities()))
      carried.push_back(tileaa::BroadcastOp::create(builder, loc, sliced(typeOf(tile), slice), identity));
    carried.push_back(tileaa::MakeTokenOp::create(builder, loc));
    scf::ForOp loop = loopOver(type, slice, carried, builder, loc);
    SmallVector<Value> parts;
    for (Value tile : tiles)
      parts.push_back(chain.make(tile, slice, builder, loop.getInductionVar()));
    SmallVector<Value> results = tileaa::combineTiles(
        reduce.getBody().front(), llvm::to_vector_of<Value>(loop.getRegionIterArgs().drop_back()), parts, builder, loc);
    results.push_back(
        join(builder, loc,
             llvm::to_vector(llvm::concat<Value>(SmallVector<Value>{loop.getRegionIterArgs().back()}, chain.tokens))));
    scf::YieldOp::create(builder, loc, results);
    comeAfter(chain, loop.getResults().back());
    reduce.getSourcesMutable().assign(loop.getResults().drop_back());
    eraseUnused(tiles);
  }

  // Whole tiles of which slices are taken have to leave room for the slices.
  int64_t smallElements() const { return slice; }

  llvm::SetVector<StringRef> noted;
};

} // namespace
