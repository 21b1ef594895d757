// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/ArrayAlias.h"
#include "cpu/CpuPipeline.h"
#include "cpu/MmaBounds.h"
#include "cpu/Plan.h"
#include "cpu/ViewAccess.h"
#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Numbers.h"

#include "mlir/Transforms/RegionUtils.h"

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
  explicit Placer(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    collect();
    boundMmas(function);
    collectNextBlock();
    for (LoadViewOp load : loads)
      if (failed(placeLoad(load)))
        return failure();
    for (StoreViewOp store : stores)
      if (failed(placeStore(store)))
        return failure();
    fetchWhereRead();
    dropOrder();
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
        return; // what it does is told by the loop
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

  static Value paddingValue(OpBuilder &builder, LoadViewOp load) {
    Type type = load.getView().getType().getElementType();
    TypedAttr padding = tileaa::getSpecial(load.getPadding().value_or("zero"), load.getFormat().value_or(type));
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
             return mma && (mma.getRhs() == load.getTile() || mma.getRhs().getDefiningOp<PackPairsOp>());
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
                                        isInside(builder, loc, *access), other, /*ordering=*/StringAttr());
      load.getTile().replaceAllUsesWith(element);
      return success();
    }
    MemRefType wholeType = access->wholeType();
    bool inPlace = canStayInPlace(load, arraysOf(load.getView())) && !wantsRows(load, wholeType);
    Value buffer;
    OpBuilder entry = atEntry();
    Value isWhole = access->isWhole(builder, loc);
    if (inPlace && !isWhole) {
      buffer = access->whole(builder, loc);
    } else if (inPlace) {
      auto choice = scf::IfOp::create(builder, loc, TypeRange(wholeType), isWhole, /*withElseRegion=*/true);
      OpBuilder then = choice.getThenBodyBuilder();
      scf::YieldOp::create(then, loc, access->whole(then, loc));
      OpBuilder otherwise = choice.getElseBodyBuilder();
      Value scratch = access->scratchLike(entry, otherwise, loc);
      CopyInOp::create(otherwise, loc, access->inside(otherwise, loc), scratch, paddingValue(otherwise, load));
      scf::YieldOp::create(otherwise, loc, scratch);
      buffer = choice.getResult(0);
    } else {
      buffer = memref::AllocOp::create(entry, loc, MemRefType::get(type.getShape(), type.getElementType()));
      if (!isWhole) {
        linalg::CopyOp::create(builder, loc, access->whole(builder, loc), buffer);
      } else {
        auto choice = scf::IfOp::create(builder, loc, TypeRange(), isWhole, /*withElseRegion=*/true);
        OpBuilder then = choice.getThenBodyBuilder();
        linalg::CopyOp::create(then, loc, access->whole(then, loc), buffer);
        OpBuilder otherwise = choice.getElseBodyBuilder();
        CopyInOp::create(otherwise, loc, access->inside(otherwise, loc), buffer, paddingValue(otherwise, load));
      }
    }
    auto tile = bufferization::ToTensorOp::create(builder, loc, type, buffer, /*restrict=*/true);
    for (NextTile &next : nextTiles)
      if (next.tile == load.getTile())
        next.tile = tile;
    load.getTile().replaceAllUsesWith(tile);
    return success();
  }

  //===-- the next block --------------------------------------------------===//

  // Tiles that the next block will load, as far as blocks follow each other along x, so that reading and computing
  // overlap. The loop that writes this block's result fetches them; where no loop of their shape writes one, the last
  // loop that reads this block's tile. A loop that only reads a few KiB is over before memory answers its first line:
  // it fetches what the block after the next one will load.
  void collectNextBlock() {
    if (!Plan::of(function).prefetchTiles)
      return;
    Block *body = &function.getBody().front();
    for (LoadViewOp load : loads) {
      auto type = dyn_cast<RankedTensorType>(load.getTile().getType());
      if (!type || load->getBlock() != body)
        continue;
      OpBuilder builder(load);
      FailureOr<ViewAccess> access = ViewAccess::of(load);
      if (failed(access) || cast<StridedLayoutAttr>(access->wholeType().getLayout()).getStrides().back() != 1)
        continue;
      auto later = [&](int64_t blocks) { return access->laterBlock(builder, function, blocks); };
      int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
      if (std::optional<ViewAccess> next = later(1))
        nextTiles.push_back({*next, bytes <= shortTile ? *later(2) : *next, load.getTile()});
    }
  }

  // What the next block will load, where a loop writes and where it only reads, and this block's tile of the same view.
  static constexpr int64_t shortTile = 8192; // bytes
  struct NextTile {
    ViewAccess whereWritten, whereRead;
    Value tile; // the result of the load, then of what takes its place
    bool isFetched = false;
  };

  // How a loop walks over the next block's tile: in its own order if they have one shape, else as it walks over this
  // block's if that is a transposition.
  static std::optional<AffineMap> mapOfFetch(linalg::GenericOp loop, ArrayRef<int64_t> shape, Value ofThisBlock) {
    if (llvm::equal(loop.getStaticLoopRanges(), shape))
      return AffineMap::getMultiDimIdentityMap(shape.size(), loop.getContext());
    for (OpOperand &input : loop->getOpOperands())
      if (input.get() == ofThisBlock && loop.getMatchingIndexingMap(&input).isPermutation())
        return loop.getMatchingIndexingMap(&input);
    return std::nullopt;
  }

  // The loop with the next block's tiles of the same shape as further inputs that its body does not use; of one load
  // if `tile` is given.
  linalg::GenericOp fetchNextBlock(linalg::GenericOp loop, Value tile = {}) {
    SmallVector<Value> inputs(loop.getInputs());
    SmallVector<AffineMap> maps = loop.getIndexingMapsArray();
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    unsigned added = 0;
    DominanceInfo dominance(function);
    for (auto &[whereWritten, whereRead, ofThisBlock, isFetched] : nextTiles) {
      const ViewAccess &next = tile ? whereRead : whereWritten;
      MemRefType type = next.wholeType();
      std::optional<AffineMap> map = mapOfFetch(loop, type.getShape(), ofThisBlock);
      if (!map || isFetched || (tile && tile != ofThisBlock) ||
          llvm::any_of(next.inputs(), [&](Value value) { return !dominance.properlyDominates(value, loop); }))
        continue;
      auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
      maps.insert(maps.begin() + inputs.size(), *map);
      inputs.push_back(bufferization::ToTensorOp::create(builder, loc, tensor, next.whole(builder, loc), true));
      isFetched = true;
      ++added;
    }
    if (!added)
      return loop;
    auto wider = linalg::GenericOp::create(builder, loc, loop->getResultTypes(), inputs, loop.getOutputs(), maps,
                                           loop.getIteratorTypesArray());
    wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    wider->setAttr("cpu.fetch", builder.getI64IntegerAttr(added));
    wider.getRegion().takeBody(loop.getRegion());
    Block *body = wider.getBody();
    for (unsigned i = 0; i < added; ++i)
      body->insertArgument(inputs.size() - added + i,
                           cast<RankedTensorType>(inputs[inputs.size() - added + i].getType()).getElementType(), loc);
    loop->replaceAllUsesWith(wider->getResults());
    loop.erase();
    return wider;
  }

  void fetchWhereRead() {
    for (NextTile &next : nextTiles) {
      if (next.isFetched)
        continue;
      SmallVector<linalg::GenericOp> loops = loopsOver(next.tile);
      // Two short loops over a tile fetch half of it each, so that memory never rests; every half by itself, since
      // lines in order come faster than every second one.
      if (loops.size() == 2 && llvm::all_of(loops, isShort)) {
        for (auto [half, loop] : llvm::enumerate(loops)) {
          next.isFetched = false;
          linalg::GenericOp wider = fetchNextBlock(loop, next.tile);
          wider->setAttr("cpu.fetch_half", IntegerAttr::get(IndexType::get(wider.getContext()), half));
        }
      } else if (!loops.empty()) {
        fetchNextBlock(loops.back(), next.tile);
      }
    }
  }

  // The kernel's loops that walk over the tile in its order, first to last.
  SmallVector<linalg::GenericOp> loopsOver(Value tile) {
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
    return !loop->hasAttr("cpu.fetch") && llvm::none_of(*loop.getBody(), [](Operation &op) {
      return isa_and_present<math::MathDialect>(op.getDialect()) || isa<tileaa::FloatOp>(op);
    });
  }

  std::vector<NextTile> nextTiles;

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
    IRRewriter rewriter(function.getContext());
    SmallVector<Value> inputs = access.inputs();
    llvm::erase_if(inputs, [&](Value value) { return dominance.properlyDominates(value, loop); });
    if (!llvm::all_of(inputs, [&](Value value) { return isPureSince(value, loop, dominance); }) ||
        (!inputs.empty() && failed(moveValueDefinitions(rewriter, inputs, loop, dominance))))
      return nullptr;
    return loop;
  }

  // What computes the value after `point` may as well run before: a place taken from an atomic may not.
  static bool isPureSince(Value value, Operation *point, DominanceInfo &dominance) {
    if (dominance.properlyDominates(value, point))
      return true;
    Operation *op = value.getDefiningOp();
    return op && isMemoryEffectFree(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isPureSince(operand, point, dominance); });
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
                         /*ordering=*/StringAttr());
      return success();
    }
    linalg::GenericOp loop = findProducer(store, *access);
    unsigned resultNumber = loop ? cast<OpResult>(store.getTile()).getResultNumber() : 0;
    if (!loop)
      loop = buildCopy(store);
    else if (loop->getBlock() == &function.getBody().front())
      loop = fetchNextBlock(loop);
    builder.setInsertionPoint(loop);
    OpBuilder entry = atEntry();
    MemRefType wholeType = access->wholeType();
    Value isWhole = access->isWhole(builder, loc), buffer;
    if (!isWhole) {
      buffer = access->whole(builder, loc);
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
    streamIfLarge(loop, *access, isWhole);
    if (isWhole) {
      builder.setInsertionPoint(store);
      Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
      Value isEdge = arith::XOrIOp::create(builder, loc, isWhole, truth);
      auto edge = scf::IfOp::create(builder, loc, TypeRange(), isEdge, /*withElseRegion=*/false);
      OpBuilder then = edge.getThenBodyBuilder();
      CopyOutOp::create(then, loc, buffer, access->inside(then, loc));
    }
    return success();
  }

  // An array larger than the cache is written past it. That goes by whole cache lines: the loop is told, as its first
  // input, how many elements lie before the first of them.
  void streamIfLarge(linalg::GenericOp loop, const ViewAccess &access, Value isWhole) {
    Plan plan = Plan::of(function);
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    // Stores past the cache are ordered with nothing.
    Value large =
        plan.streamBytes && !ordersStores ? access.isLargeAndRegular(builder, loc, plan.streamBytes) : Value();
    if (!large)
      return;
    if (isWhole)
      large = arith::AndIOp::create(builder, loc, large, isWhole);
    auto choice = scf::IfOp::create(builder, loc, TypeRange(), large, /*withElseRegion=*/true);
    OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
    SmallVector<Value> inputs(loop.getInputs());
    SmallVector<AffineMap> maps = loop.getIndexingMapsArray();
    inputs.insert(inputs.begin(), access.elementsBeforeLine(then, loc));
    maps.insert(maps.begin(), AffineMap::get(loop.getNumLoops(), 0, function.getContext()));
    auto stream = linalg::GenericOp::create(then, loc, loop->getResultTypes(), inputs, loop.getOutputs(), maps,
                                            loop.getIteratorTypesArray());
    stream->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    stream->setAttr("cpu.stream", builder.getUnitAttr());
    IRMapping mapping;
    loop.getRegion().cloneInto(&stream.getRegion(), mapping);
    stream.getBody()->insertArgument(0u, builder.getIndexType(), loc);
    otherwise.clone(*loop);
    // Nobody reads the result: it lies in the array.
    for (Value result : loop.getResults())
      result.replaceAllUsesWith(loop.getDpsInits().front());
    loop.erase();
  }

  //===-- order -----------------------------------------------------------===//

  // Program order is the order now: tokens become a constant that nobody asks for.
  void dropOrder() {
    for (LoadViewOp load : loads)
      replaceToken(load, load.getResultToken());
    for (StoreViewOp store : stores)
      replaceToken(store, store.getResultToken());
    function.walk([&](tileaa::PrintOp print) { print.getTokenMutable().clear(); });
    // What it keeps apart has its place by now.
    function.walk([&](tileaa::FenceOp fence) { replaceToken(fence, fence.getResultToken()); });
    Type i1 = IntegerType::get(function.getContext(), 1);
    function.walk([&](Operation *op) {
      OpBuilder builder(op);
      if (isa<tileaa::MakeTokenOp, tileaa::JoinTokensOp>(op)) {
        op->getResult(0).replaceAllUsesWith(arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1).getResult());
        op->erase();
        return;
      }
      if (auto print = dyn_cast<tileaa::PrintOp>(op)) {
        builder.setInsertionPointAfter(op);
        print.getResultToken().replaceAllUsesWith(
            arith::ConstantIntOp::create(builder, op->getLoc(), 0, 1).getResult());
        return;
      }
      for (Value result : op->getResults())
        if (isa<tileaa::TokenType>(result.getType()))
          result.setType(i1);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            if (isa<tileaa::TokenType>(argument.getType()))
              argument.setType(i1);
    });
    function.walk([&](Operation *op) {
      if (isa<tileaa::ViewDimOp, tileaa::ViewStrideOp, tileaa::ViewBaseOp>(op)) {
        OpBuilder builder(op);
        SmallVector<Value> folded;
        if (succeeded(builder.tryFold(op, folded))) {
          op->replaceAllUsesWith(folded);
          op->erase();
        }
      } else if (auto assume = dyn_cast<tileaa::AssumeDivByOp>(op)) {
        assume.getResult().replaceAllUsesWith(assume.getValue());
        op->erase();
      }
    });
    function.walk([&](tileaa::MakeViewOp view) {
      if (view.use_empty())
        view.erase();
    });
  }

  static void replaceToken(Operation *op, Value token) {
    OpBuilder builder(op);
    token.replaceAllUsesWith(tileaa::MakeTokenOp::create(builder, op->getLoc()).getResult());
    op->erase();
  }

  OpBuilder atEntry() { return OpBuilder::atBlockBegin(&function.getBody().front()); }

  func::FuncOp function;
  SmallVector<LoadViewOp> loads;
  SmallVector<StoreViewOp> stores;
  SmallVector<Write> writes;
  SmallVector<ArraySet> reads; // of plain loads through addresses
  bool ordersStores = false;   // something in the kernel has an ordering
};

struct CpuPlaceLoads : tilewright::impl::CpuPlaceLoadsBase<CpuPlaceLoads> {
  void runOnOperation() override {
    if (getOperation()->hasAttr("tileaa.kernel") && failed(Placer(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
