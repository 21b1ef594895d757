// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: proposals are collected, the classes solved, then every operation is given operands and results with the
// layouts it wants.
#include "lower/tileaa_to_tileas/TileaaToTileas.h"
#include "lower/tileaa_to_tileas/AccessLayouts.h"
#include "lower/tileaa_to_tileas/LayoutClasses.h"
#include "lower/tileaa_to_tileas/TransposeProducts.h"
#include "tileas/analysis/ArchitectureOption.h"
#include "tileas/analysis/PointerMemory.h"
#include "tileas/analysis/ViewMemory.h"
#include "tileas/async/StagedTile.h"
#include "tileas/ir/Tileas.h"
#include "tileas/plan/Tcgen05Plan.h"
#include "tileas/plan/WgmmaPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEAATOTILEAS
#include "lower/tileaa_to_tileas/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::LinearLayout;

namespace {

// So many times the instructions are worse than holding a tile otherwise. Nobody waits for a store, and the way to
// another layout takes shared memory that pipelines want: GEMM tf32 4096^3 with row-major operands, whose sums are held
// across, 349 TFLOP/s with four times the stores, and 280 with them through shared memory, which left two stages.
constexpr uint64_t loadsMore = 4, storesMore = 8;

// Work inside loops counts more.
double frequency(Operation *op) {
  double times = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(parent))
      times *= 8;
  return times;
}

class Assignment {
public:
  Assignment(func::FuncOp function, const nvidia::Architecture &architecture)
      : function(function), architecture(architecture), warps(tileas::warpsOf(function)),
        tmemColumns(architecture.tensorMemoryColumns()), classes(function), slopes(function) {}

  LogicalResult run() {
    function.walk([&](Operation *op) { propose(op); });
    function.walk([&](tileaa::StorePtrOp store) { decideStore(store); });
    classes.solve(warps);
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (!isa_and_nonnull<tileaa::ReduceOp, tileaa::ScanOp>(op->getParentOp()))
        ops.push_back(op);
    });
    // First every tile has its class's layout, then each operation is given what it wants.
    for (Operation *op : ops) {
      for (Value result : op->getResults())
        setLayout(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            setLayout(argument);
    }
    SmallVector<tileaa::MmaOp> mmas;
    SmallVector<tileaa::MmaScaledOp> scaledMmas;
    for (Operation *op : ops)
      if (auto mma = dyn_cast<tileaa::MmaOp>(op))
        mmas.push_back(mma);
      else if (auto scaled = dyn_cast<tileaa::MmaScaledOp>(op))
        scaledMmas.push_back(scaled);
      else
        rewrite(op);
    for (tileaa::MmaScaledOp mma : scaledMmas) {
      llvm::erase(ops, mma);
      if (failed(rewriteScaled(mma)))
        return failure();
    }
    for (tileaa::MmaOp mma : mmas) {
      llvm::erase(ops, mma);
      if (failed(rewriteProduct(mma)))
        return failure();
    }
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumResults() == 1 && hasOneForEachUse(op->getResult(0)) && op->use_empty())
        op->erase();
    return success();
  }

private:
  template <typename Access> layout::TileMemory memoryOf(Access access, RankedTensorType tile) {
    return tileas::memoryOf(access.getView(), access.getOffsets(), access.getDimMap(), tile.getShape());
  }
  template <typename Access> LinearLayout bestLayout(Access access, RankedTensorType tile) {
    return accessLayout(tile.getShape(), memoryOf(access, tile), warps);
  }

  void propose(Operation *op) {
    auto proposeAccess = [&](auto access) {
      if (auto tile = dyn_cast<RankedTensorType>(access.getTile().getType()))
        classes.propose(access.getTile(), bestLayout(access, tile),
                        frequency(op) * tile.getNumElements() * tile.getElementTypeBitWidth());
    };
    if (auto mma = dyn_cast<tileaa::MmaOp>(op))
      proposeProduct(mma);
    else if (auto scaled = dyn_cast<tileaa::MmaScaledOp>(op))
      proposeScaled(scaled);
    else if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
      proposeAccess(load);
    else if (auto store = dyn_cast<tileaa::StoreViewOp>(op))
      proposeAccess(store);
    else if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
      proposeAddresses(load);
    else if (auto store = dyn_cast<tileaa::StorePtrOp>(op))
      proposeAddresses(store);
  }

  // Nothing where elements are not known to lie one after another: then they may be held in any way.
  template <typename Access> std::optional<layout::TileMemory> memoryAt(Access access) {
    auto tile = dyn_cast<RankedTensorType>(access.getTile().getType());
    if (!tile || access.getOrdering())
      return std::nullopt;
    int64_t bytes = std::max(1u, tile.getElementTypeBitWidth() / 8);
    return tileas::memoryOf(access.getAddresses(), access.getMask(), bytes, slopes);
  }
  template <typename Access> void proposeAddresses(Access access) {
    if (auto memory = memoryAt(access)) {
      auto tile = cast<RankedTensorType>(access.getTile().getType());
      classes.propose(access.getAddresses(), accessLayout(tile.getShape(), *memory, warps),
                      frequency(access) * tile.getNumElements() * tile.getElementTypeBitWidth());
    }
  }
  // A tile is stored as it is held unless that takes much longer than to hold it otherwise before.
  void decideStore(tileaa::StorePtrOp store) {
    Value tile = store.getTile();
    if (!classes.isKnown(tile))
      return;
    auto memory = memoryAt(store);
    const std::optional<LinearLayout> &held = classes.proposalFor(tile);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
    if (!memory || !held || !isMuchWorse(*held, accessLayout(shape, *memory, warps), *memory, storesMore))
      classes.unite(store.getAddresses(), tile);
  }

  // The dimensions of a loaded tile as they lie in memory, the nearest first.
  std::optional<SmallVector<unsigned>> orderInMemory(Value tile) {
    if (auto load = tile.getDefiningOp<tileaa::LoadPtrOp>()) {
      auto memory = memoryAt(load);
      return memory ? std::optional(tileas::orderOf(*memory)) : std::nullopt;
    }
    auto loaded = tileas::stagedTile(tile);
    if (!loaded)
      return std::nullopt;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
    // A tile that threads would have to round counts as computed by them.
    bool isRoundedForUs = architecture.hasWgmma() || architecture.hasTcgen05();
    if (loaded->format && !(isRoundedForUs && tileas::isDescribed(*loaded, shape)))
      return std::nullopt;
    return tileas::orderOf(*loaded, shape);
  }

  // Whether the right operand, of other than 16 bits, would have to be written across the order in which it was loaded:
  // element by element, which takes longer than mma.sync's fragments. GEMM tf32 4096^3, B row-major: 75 TFLOP/s, and
  // 144.
  bool isTransposedByWriting(tileaa::MmaOp mma) {
    Value rhs = mma.getRhs();
    if (orderInMemory(rhs) || getElementTypeOrSelf(rhs.getType()).getIntOrFloatBitWidth() == 16)
      return false;
    while (Operation *op = rhs.getDefiningOp()) {
      if (auto order = orderInMemory(rhs))
        return order->front() != 0;
      if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumOperands() != 1)
        break;
      rhs = op->getOperand(0);
    }
    return true;
  }

  // Of a rounded operand that lies across, nothing: threads can hold the left one as they like.
  std::optional<SmallVector<unsigned>> orderOfLeft(tileaa::MmaOp mma) {
    auto order = orderInMemory(mma.getLhs());
    if (order && order->front() != 1 && mma.getLhs().getDefiningOp<tileaa::ConvertOp>())
      return std::nullopt;
    return order;
  }

  void proposeProduct(tileaa::MmaOp mma) {
    std::optional<tileas::MmaPlan> plan;
    if (!isTransposedByWriting(mma))
      plan = tileas::chooseWgmma(mma, architecture, warps, orderOfLeft(mma), orderInMemory(mma.getRhs()));
    if (!plan && !isTransposedByWriting(mma)) {
      plan =
          tileas::chooseTcgen05(mma, architecture, warps, orderOfLeft(mma), orderInMemory(mma.getRhs()), tmemColumns);
      if (plan)
        tmemColumns -= tileas::tmemColumns(cast<RankedTensorType>(mma.getType()).getShape());
    }
    if (!plan)
      plan = tileas::chooseMma(mma, architecture, warps);
    if (!plan)
      return;
    auto type = cast<RankedTensorType>(mma.getType());
    // Nothing else may decide about accumulators.
    classes.propose(mma.getResult(), plan->acc, 1e6 * frequency(mma) * type.getNumElements());
    // An operand that a warpgroup takes from registers is best computed there.
    auto lhs = cast<RankedTensorType>(mma.getLhs().getType());
    if (plan->atom.getKind() == tileas::AtomKind::Wgmma && !plan->lhsInBuffer)
      classes.propose(mma.getLhs(), plan->lhs, 100 * frequency(mma) * lhs.getNumElements());
    products.try_emplace(mma, *plan);
  }

  void proposeScaled(tileaa::MmaScaledOp mma) {
    auto plan = tileas::chooseScaledMma(mma, warps);
    if (!plan)
      return;
    auto type = cast<RankedTensorType>(mma.getType());
    classes.propose(mma.getResult(), plan->acc, 1e6 * frequency(mma) * type.getNumElements());
    scaledProducts.try_emplace(mma, *plan);
  }

  void setLayout(Value tile) {
    if (classes.isKnown(tile))
      tile.setType(tileas::typeWith(getElementTypeOrSelf(tile.getType()), classes.layoutOf(tile)));
  }
  Type withLayout(Value tile, const LinearLayout &layout) {
    return tileas::typeWith(getElementTypeOrSelf(tile.getType()), layout);
  }

  // The tile in that layout, for use by `user`.
  Value want(Value tile, const LinearLayout &layout, Operation *user) {
    if (!isa<RankedTensorType>(tile.getType()))
      return tile;
    if (hasOneForEachUse(tile))
      return copyOf(tile, layout);
    if (tileas::layoutOf(tile) == layout)
      return tile;
    OpBuilder builder(user);
    return tileas::ConvertLayoutOp::create(builder, user->getLoc(), withLayout(tile, layout), tile);
  }
  void wantOperand(OpOperand &operand, const LinearLayout &layout) {
    operand.set(want(operand.get(), layout, operand.getOwner()));
  }

  Value copyOf(Value tile, const LinearLayout &layout) {
    Type type = withLayout(tile, layout);
    Value &copy = copies[{tile, type}];
    if (copy)
      return copy;
    Operation *op = tile.getDefiningOp();
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op);
    if (auto constant = dyn_cast<arith::ConstantOp>(clone)) {
      auto values = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(DenseElementsAttr::get(cast<ShapedType>(type), values.getSplatValue<Attribute>()));
    }
    clone->getResult(0).setType(type);
    return copy = clone->getResult(0);
  }

  // An operation's result as it comes, converted to the layout of its class.
  void comesAs(Value result, const LinearLayout &layout) {
    const LinearLayout &wanted = tileas::layoutOf(result);
    if (wanted == layout)
      return;
    OpBuilder builder(result.getDefiningOp());
    builder.setInsertionPointAfter(result.getDefiningOp());
    Type type = result.getType();
    result.setType(withLayout(result, layout));
    auto convert = tileas::ConvertLayoutOp::create(builder, result.getLoc(), type, result);
    result.replaceAllUsesExcept(convert, convert);
  }

  // Yielded values have the layouts of the results they become.
  template <typename Operands> void wantEach(Operands operands, ValueRange like) {
    for (auto &&[operand, value] : llvm::zip_equal(operands, like))
      if (isa<RankedTensorType>(value.getType()))
        wantOperand(operand, tileas::layoutOf(value));
  }

  void rewrite(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) {
          wantEach(loop.getInitArgsMutable(), loop.getRegionIterArgs());
          wantEach(*loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
        })
        .Case([&](scf::IfOp branch) {
          if (branch.getNumResults() == 0)
            return;
          wantEach(branch.thenYield().getResultsMutable(), branch.getResults());
          wantEach(branch.elseYield().getResultsMutable(), branch.getResults());
        })
        .Case([&](scf::WhileOp loop) {
          wantEach(loop.getInitsMutable(), loop.getBeforeArguments());
          wantEach(loop.getYieldOp().getResultsMutable(), loop.getBeforeArguments());
          wantEach(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments());
        })
        .Case([&](arith::ConstantOp constant) {
          // Of a splat each use has a copy of its own.
          auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
          if (values && !values.isSplat())
            constant.setValueAttr(values.reshape(cast<ShapedType>(constant.getType())));
        })
        .Case([&](tileaa::BroadcastOp broadcast) {
          if (auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType()))
            if (classes.isKnown(broadcast.getResult()))
              wantOperand(broadcast.getSourceMutable(),
                          beforeBroadcast(tileas::layoutOf(broadcast.getResult()), source.getShape()));
        })
        .Case([&](tileaa::ReshapeOp reshape) {
          auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
          if (source && isa<RankedTensorType>(reshape.getResult().getType()))
            wantOperand(reshape.getSourceMutable(), tileas::layoutOf(reshape.getResult()).reshape(source.getShape()));
          else if (source && hasOneForEachUse(reshape.getSource()))
            wantOperand(reshape.getSourceMutable(), defaultLayout(source.getShape(), warps));
        })
        .Case([&](tileaa::PermuteOp permute) {
          wantOperand(permute.getSourceMutable(),
                      tileas::layoutOf(permute.getResult()).permute(inverseOrder(permute.getPermutation())));
        })
        .Case([&](tileaa::ReduceOp reduce) { rewriteReduce(reduce); })
        .Case([&](tileaa::ScanOp scan) {
          LinearLayout layout = tileas::layoutOf(scan.getResult(0));
          for (OpOperand &operand : scan.getSourcesMutable())
            wantOperand(operand, layout);
        })
        .Case([&](tileaa::LoadViewOp load) {
          if (auto tile = dyn_cast<RankedTensorType>(load.getTile().getType())) {
            LinearLayout best = bestLayout(load, tile);
            if (isMuchWorse(tileas::layoutOf(tile), best, memoryOf(load, tile), loadsMore))
              comesAs(load.getTile(), best);
          }
        })
        .Case([&](tileaa::StoreViewOp store) {
          if (auto tile = dyn_cast<RankedTensorType>(store.getTile().getType())) {
            LinearLayout best = bestLayout(store, tile);
            if (hasOneForEachUse(store.getTile()) ||
                isMuchWorse(tileas::layoutOf(tile), best, memoryOf(store, tile), storesMore))
              wantOperand(store.getTileMutable(), best);
          }
        })
        .Default([&](Operation *op) { rewriteAlike(op); });
  }

  // A buffer with the tile; products that want the same share one. A tile from outside of the product's loop is written
  // there, once.
  Value inBuffer(Value tile, const LinearLayout &layout, tileaa::MmaOp mma) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto attribute = tileas::LayoutAttr::get(mma.getContext(), layout);
    auto bufferType = tileas::BufferType::get(mma.getContext(), type.getShape(), type.getElementType(), attribute);
    OpBuilder builder(mma);
    if (hasOneForEachUse(tile)) {
      tile = want(tile, defaultLayout(type.getShape(), warps), mma);
    } else {
      Value &known = buffers[{tile, bufferType}];
      if (known)
        return known;
      if (tile.getParentBlock() != mma->getBlock())
        builder.setInsertionPointAfterValue(tile);
      return known = write(tile, bufferType, builder);
    }
    return write(tile, bufferType, builder);
  }
  static Value write(Value tile, tileas::BufferType type, OpBuilder &builder) {
    Value alloc = tileas::AllocOp::create(builder, tile.getLoc(), type, IntegerAttr());
    tileas::WriteOp::create(builder, tile.getLoc(), tile, alloc);
    return alloc;
  }

  LogicalResult rewriteProduct(tileaa::MmaOp mma) {
    auto found = products.find(mma);
    if (found == products.end())
      return mma.emitError() << "internal error: no plan for a product";
    const tileas::MmaPlan &plan = found->second;
    Value lhs = plan.lhsInBuffer ? inBuffer(mma.getLhs(), plan.lhs, mma) : want(mma.getLhs(), plan.lhs, mma);
    Value rhs = plan.rhsInBuffer ? inBuffer(mma.getRhs(), plan.rhs, mma) : want(mma.getRhs(), plan.rhs, mma);
    Value acc = want(mma.getAcc(), plan.acc, mma);
    OpBuilder builder(mma);
    Value result =
        tileas::MmaOp::create(builder, mma.getLoc(), acc.getType(), plan.atom, lhs, rhs, acc, mma.getUnsignedLhs(),
                              mma.getUnsignedRhs(), mma.getFormatAttr(), mma.getFastAcc(), /*running=*/false);
    if (result.getType() != mma.getType())
      result = tileas::ConvertLayoutOp::create(builder, mma.getLoc(), mma.getType(), result);
    mma.replaceAllUsesWith(result);
    mma.erase();
    return success();
  }

  LogicalResult rewriteScaled(tileaa::MmaScaledOp mma) {
    auto found = scaledProducts.find(mma);
    if (found == scaledProducts.end())
      return mma.emitError() << "internal error: no plan for a product with scales";
    const tileas::ScaledMmaPlan &plan = found->second;
    Value acc = want(mma.getAcc(), plan.acc, mma);
    OpBuilder builder(mma);
    Value result =
        tileas::ScaledMmaOp::create(builder, mma.getLoc(), acc.getType(), plan.atom, want(mma.getLhs(), plan.lhs, mma),
                                    want(mma.getRhs(), plan.rhs, mma), acc, want(mma.getLhsScale(), plan.lhsScale, mma),
                                    want(mma.getRhsScale(), plan.rhsScale, mma), mma.getFormat(), mma.getScaleFormat());
    if (result.getType() != mma.getType())
      result = tileas::ConvertLayoutOp::create(builder, mma.getLoc(), mma.getType(), result);
    mma.replaceAllUsesWith(result);
    mma.erase();
    return success();
  }

  void rewriteReduce(tileaa::ReduceOp reduce) {
    // All sources have one layout, that of the first whose tile has one.
    std::optional<LinearLayout> layout;
    for (Value source : reduce.getSources())
      if (!layout && !hasOneForEachUse(source))
        layout = tileas::layoutOf(source);
    if (!layout)
      layout = defaultLayout(cast<RankedTensorType>(reduce.getSources()[0].getType()).getShape(), warps);
    for (OpOperand &source : reduce.getSourcesMutable())
      wantOperand(source, *layout);
    for (Value result : reduce.getResults())
      if (isa<RankedTensorType>(result.getType()))
        comesAs(result, layout->slice(reduce.getDim()).withoutFreeRegisters());
  }

  // Operands have the layout of the result, or all that of the first that has one.
  void rewriteAlike(Operation *op) {
    if (hasOneForEachUse(op->getNumResults() == 1 ? op->getResult(0) : Value()))
      return;
    std::optional<LinearLayout> layout;
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getResults()), llvm::to_vector(op->getOperands())))
      if (!layout && isa<RankedTensorType>(value.getType()) && tileas::hasLayout(value.getType()))
        layout = tileas::layoutOf(value);
    for (OpOperand &operand : op->getOpOperands())
      if (auto tile = dyn_cast<RankedTensorType>(operand.get().getType()))
        wantOperand(operand, layout && layout->shape() == tile.getShape() ? *layout
                             : tileas::hasLayout(tile)                    ? tileas::layoutOf(tile)
                                                                          : defaultLayout(tile.getShape(), warps));
  }

  func::FuncOp function;
  const nvidia::Architecture &architecture;
  int64_t warps, tmemColumns;
  LayoutClasses classes;
  tileas::TileSlopes slopes;
  DenseMap<std::pair<Value, Type>, Value> copies, buffers;
  DenseMap<Operation *, tileas::MmaPlan> products;
  DenseMap<Operation *, tileas::ScaledMmaPlan> scaledProducts;
};

class TileaaToTileas : public tilewright::impl::TileaaToTileasBase<TileaaToTileas> {
public:
  using TileaaToTileasBase::TileaaToTileasBase;

  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(arch, getOperation());
    if (!architecture)
      return signalPassFailure();
    if (architecture->hasWgmma())
      transposeProducts(getOperation(), *architecture, tileas::warpsOf(getOperation()));
    if (failed(Assignment(getOperation(), *architecture).run()))
      signalPassFailure();
  }
};

} // namespace
