// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/NextBlock.h"

#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;

// How many blocks later a tile of so many bytes is loaded that one loop should fetch: so far ahead as memory takes. The
// processor itself runs ahead along tiles of a few lines; with loops that write, it does so better.
static int64_t blocksAhead(int64_t bytes, bool writes) {
  constexpr int64_t bytesAhead = 8192, fewLines = 1024;
  return writes && bytes < fewLines ? 1 : 1 + bytesAhead / std::max<int64_t>(1, bytes);
}

// In a loop, the tile that the next block loads in the same iteration; where the block is no matter, as in one that
// stays for many tiles, that of the next iteration. If that one follows in the array, the processor is there before.
std::optional<ViewAccess> NextBlock::laterInLoop(OpBuilder &builder, const ViewAccess &access, scf::ForOp loop) const {
  if (std::optional<ViewAccess> next = access.laterBlock(builder, function, 1))
    return next;
  return getConstantIntValue(loop.getStep()) ? std::nullopt : access.laterIteration(builder, loop);
}

void NextBlock::collect(ArrayRef<LoadViewOp> loads) {
  if (!Plan::of(function).prefetchTiles)
    return;
  Block *body = &function.getBody().front();
  for (LoadViewOp load : loads) {
    auto type = dyn_cast<RankedTensorType>(load.getTile().getType());
    auto around = dyn_cast<scf::ForOp>(load->getParentOp());
    if (!type || (load->getBlock() != body && !around))
      continue;
    OpBuilder builder(load);
    FailureOr<ViewAccess> access = ViewAccess::of(load);
    if (failed(access) || cast<StridedLayoutAttr>(access->wholeType().getLayout()).getStrides().back() != 1)
      continue;
    if (around) {
      if (std::optional<ViewAccess> next = laterInLoop(builder, *access, around))
        tiles.push_back({*access, *next, *next, load.getTile()});
      continue;
    }
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    auto later = [&](bool writes) { return access->laterBlock(builder, function, blocksAhead(bytes, writes)); };
    if (std::optional<ViewAccess> whereWritten = later(/*writes=*/true))
      tiles.push_back({*access, *whereWritten, *later(/*writes=*/false), load.getTile()});
  }
}

void NextBlock::replace(Value loaded, Value tile) {
  for (Tile &next : tiles)
    if (next.ofThisBlock == loaded)
      next.ofThisBlock = tile;
}

// How a loop walks over the later tile: in its own order if they have one shape, else as it walks over this block's if
// that is a transposition.
static std::optional<AffineMap> mapOfFetch(linalg::GenericOp loop, ArrayRef<int64_t> shape, Value ofThisBlock) {
  if (llvm::equal(loop.getStaticLoopRanges(), shape))
    return AffineMap::getMultiDimIdentityMap(shape.size(), loop.getContext());
  for (OpOperand &input : loop->getOpOperands())
    if (input.get() == ofThisBlock && loop.getMatchingIndexingMap(&input).isPermutation())
      return loop.getMatchingIndexingMap(&input);
  return std::nullopt;
}

std::optional<NextBlock::Fetch> NextBlock::fetchIn(linalg::GenericOp loop, const ViewAccess &access, Value ofThisBlock,
                                                   DominanceInfo &dominance) {
  std::optional<AffineMap> map = mapOfFetch(loop, access.wholeType().getShape(), ofThisBlock);
  if (!map || !llvm::all_of(access.inputs(), [&](Value value) { return dominance.properlyDominates(value, loop); }))
    return std::nullopt;
  return Fetch{{&access}, *map};
}

linalg::GenericOp NextBlock::addFetches(linalg::GenericOp loop, ValueRange tiles, ArrayRef<AffineMap> mapsOfTiles,
                                        std::optional<int64_t> half) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inputs(loop.getInputs());
  SmallVector<AffineMap> maps = loop.getIndexingMapsArray();
  maps.insert(maps.begin() + inputs.size(), mapsOfTiles.begin(), mapsOfTiles.end());
  llvm::append_range(inputs, tiles);
  auto wider = linalg::GenericOp::create(builder, loc, loop->getResultTypes(), inputs, loop.getOutputs(), maps,
                                         loop.getIteratorTypesArray());
  wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  wider->setAttr(fetchAttr, FetchAttr::get(builder.getContext(), countFetched(loop) + tiles.size(), half));
  wider.getRegion().takeBody(loop.getRegion());
  for (auto [i, tile] : llvm::enumerate(tiles))
    wider.getBody()->insertArgument(inputs.size() - tiles.size() + i, getElementTypeOrSelf(tile), loc);
  loop->replaceAllUsesWith(wider->getResults());
  loop.erase();
  return wider;
}

linalg::GenericOp NextBlock::widen(linalg::GenericOp loop, ArrayRef<Fetch> fetches, std::optional<int64_t> half) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> tiles;
  SmallVector<AffineMap> maps;
  for (const Fetch &fetch : fetches) {
    MemRefType type = fetch.accesses.front()->wholeType();
    Value address;
    for (const ViewAccess *access : fetch.accesses) {
      Value each = access->address(builder, loc);
      address = address ? arith::MaxUIOp::create(builder, loc, address, each).getResult() : each;
    }
    maps.push_back(fetch.map);
    tiles.push_back(bufferization::ToTensorOp::create(builder, loc,
                                                      RankedTensorType::get(type.getShape(), type.getElementType()),
                                                      fetch.accesses.front()->wholeAt(builder, loc, address),
                                                      /*restrict=*/true));
  }
  return addFetches(loop, tiles, maps, half);
}

linalg::GenericOp NextBlock::fetchWhereWritten(linalg::GenericOp loop) {
  SmallVector<Fetch> fetches;
  SmallVector<const Tile *> first; // of each fetch
  DominanceInfo dominance(function);
  for (Tile &tile : tiles) {
    if (tile.isFetched || tile.ofThisBlock.getParentBlock() != loop->getBlock())
      continue;
    std::optional<Fetch> fetch = fetchIn(loop, tile.whereWritten, tile.ofThisBlock, dominance);
    if (!fetch)
      continue;
    tile.isFetched = true;
    auto *met = llvm::find_if(first, [&](const Tile *other) { return tile.now.trails(other->now); });
    if (met != first.end()) {
      fetches[met - first.begin()].accesses.push_back(&tile.whereWritten);
      continue;
    }
    first.push_back(&tile);
    fetches.push_back(*fetch);
  }
  return fetches.empty() ? loop : widen(loop, fetches);
}

// The kernel's loops that walk over the tile in its order, first to last.
static SmallVector<linalg::GenericOp> loopsOver(Value tile, func::FuncOp function) {
  SmallVector<linalg::GenericOp> loops;
  for (OpOperand &use : tile.getUses())
    if (auto loop = dyn_cast<linalg::GenericOp>(use.getOwner());
        loop && loop->getBlock() == &function.getBody().front() && loop.getMatchingIndexingMap(&use).isIdentity() &&
        !llvm::is_contained(loops, loop))
      loops.push_back(loop);
  llvm::sort(loops, [](linalg::GenericOp a, linalg::GenericOp b) { return a->isBeforeInBlock(b); });
  return loops;
}

// Whether memory takes longer than the loop: it calls no function, and fetches nothing else.
static bool isShort(linalg::GenericOp loop) {
  return !fetchOf(loop) && llvm::none_of(*loop.getBody(), [](Operation &op) {
    return isa_and_present<math::MathDialect>(op.getDialect()) || isa<tileaa::FloatOp>(op);
  });
}

void NextBlock::fetchWhereRead() {
  for (Tile &tile : tiles) {
    if (tile.isFetched)
      continue;
    SmallVector<linalg::GenericOp> loops = loopsOver(tile.ofThisBlock, function);
    // Two short loops over a tile fetch half of it each, so that memory never rests; every half by itself, since lines
    // in order come faster than every second one.
    bool inHalves = loops.size() == 2 && llvm::all_of(loops, isShort);
    if (!inHalves && loops.size() > 1)
      loops = {loops.back()};
    for (auto [half, loop] : llvm::enumerate(loops)) {
      DominanceInfo dominance(function);
      std::optional<Fetch> fetch = fetchIn(loop, tile.whereRead, tile.ofThisBlock, dominance);
      // A loop that prefetches half of a tile has no attribute for another tile's whole.
      FetchAttr before = fetchOf(loop);
      if (fetch && !(before && before.getHalf()))
        widen(loop, *fetch, inHalves ? std::optional<int64_t>(half) : std::nullopt);
    }
  }
}
