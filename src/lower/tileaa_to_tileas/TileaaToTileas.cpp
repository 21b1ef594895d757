// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: every operation is given operands and results with the layouts that its classes got, or those it wants.
#include "lower/tileaa_to_tileas/TileaaToTileas.h"
#include "lower/tileaa_to_tileas/AccessLayouts.h"
#include "lower/tileaa_to_tileas/LayoutProposals.h"
#include "lower/tileaa_to_tileas/TransposeProducts.h"
#include "machine/Architecture.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/Tileas.h"

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

class Assignment {
public:
  Assignment(func::FuncOp function, const LayoutProposals &proposals)
      : function(function), warps(tileas::warpsOf(function)), proposals(proposals), classes(proposals.solved()) {}

  void run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (!isa_and_nonnull<tileaa::ReduceOp, tileaa::ScanOp>(op->getParentOp()))
        ops.push_back(op);
    });
    // First every tile has its class's layout, then each operation is given what it wants.
    for (Operation *op : ops)
      setLayouts(op);
    auto products = llvm::make_filter_range(ops, llvm::IsaPred<tileaa::MmaOp>);
    SmallVector<Operation *> mmas(products);
    auto scaledProducts = llvm::make_filter_range(ops, llvm::IsaPred<tileaa::MmaScaledOp>);
    SmallVector<Operation *> scaledMmas(scaledProducts);
    llvm::erase_if(ops, llvm::IsaPred<tileaa::MmaOp, tileaa::MmaScaledOp>);
    for (Operation *op : ops)
      rewrite(op);
    for (Operation *mma : scaledMmas)
      multiply(cast<tileaa::MmaScaledOp>(mma));
    for (Operation *mma : mmas)
      multiply(cast<tileaa::MmaOp>(mma));
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumResults() == 1 && hasOneForEachUse(op->getResult(0)) && op->use_empty())
        op->erase();
  }

private:
  void setLayouts(Operation *op) {
    for (Value result : op->getResults())
      setLayout(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          setLayout(argument);
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
        .Case<scf::ForOp, scf::IfOp, scf::WhileOp, arith::ConstantOp, tileaa::BroadcastOp, tileaa::ReshapeOp,
              tileaa::PermuteOp, tileaa::ReduceOp, tileaa::ScanOp, tileaa::LoadViewOp, tileaa::StoreViewOp>(
            [&](auto op) { rewrite(op); })
        .Default([&](Operation *op) { rewriteAlike(op); });
  }

  void rewrite(scf::ForOp loop) {
    wantEach(loop.getInitArgsMutable(), loop.getRegionIterArgs());
    wantEach(*loop.getYieldedValuesMutable(), loop.getRegionIterArgs());
  }
  void rewrite(scf::IfOp branch) {
    if (branch.getNumResults() == 0)
      return;
    wantEach(branch.thenYield().getResultsMutable(), branch.getResults());
    wantEach(branch.elseYield().getResultsMutable(), branch.getResults());
  }
  void rewrite(scf::WhileOp loop) {
    wantEach(loop.getInitsMutable(), loop.getBeforeArguments());
    wantEach(loop.getYieldOp().getResultsMutable(), loop.getBeforeArguments());
    wantEach(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments());
  }

  // Of a splat each use has a copy of its own.
  void rewrite(arith::ConstantOp constant) {
    auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (values && !values.isSplat())
      constant.setValueAttr(values.reshape(cast<ShapedType>(constant.getType())));
  }

  void rewrite(tileaa::BroadcastOp broadcast) {
    auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
    if (source && classes.isKnown(broadcast.getResult()))
      wantOperand(broadcast.getSourceMutable(),
                  beforeBroadcast(tileas::layoutOf(broadcast.getResult()), source.getShape()));
  }
  void rewrite(tileaa::ReshapeOp reshape) {
    auto source = dyn_cast<RankedTensorType>(reshape.getSource().getType());
    if (source && isa<RankedTensorType>(reshape.getResult().getType()))
      wantOperand(reshape.getSourceMutable(), tileas::layoutOf(reshape.getResult()).reshape(source.getShape()));
    else if (source && hasOneForEachUse(reshape.getSource()))
      wantOperand(reshape.getSourceMutable(), defaultLayout(source.getShape(), warps));
  }
  void rewrite(tileaa::PermuteOp permute) {
    wantOperand(permute.getSourceMutable(),
                tileas::layoutOf(permute.getResult()).permute(inverseOrder(permute.getPermutation())));
  }
  void rewrite(tileaa::ScanOp scan) {
    LinearLayout layout = tileas::layoutOf(scan.getResult(0));
    for (OpOperand &operand : scan.getSourcesMutable())
      wantOperand(operand, layout);
  }

  void rewrite(tileaa::LoadViewOp load) {
    auto tile = dyn_cast<RankedTensorType>(load.getTile().getType());
    if (!tile)
      return;
    layout::TileMemory memory = proposals.memoryOf(load);
    LinearLayout best = accessLayout(tile.getShape(), memory, warps);
    if (isMuchWorse(tileas::layoutOf(tile), best, memory, loadsMore))
      comesAs(load.getTile(), best);
  }
  void rewrite(tileaa::StoreViewOp store) {
    auto tile = dyn_cast<RankedTensorType>(store.getTile().getType());
    if (!tile)
      return;
    layout::TileMemory memory = LayoutProposals::memoryOf(store);
    LinearLayout best = accessLayout(tile.getShape(), memory, warps);
    if (hasOneForEachUse(store.getTile()) || isMuchWorse(tileas::layoutOf(tile), best, memory, storesMore))
      wantOperand(store.getTileMutable(), best);
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

  // A product by its sums, in the layout of their class.
  static void replaceProduct(Operation *mma, Value result) {
    OpBuilder builder(mma);
    // By which schedules name it.
    if (Attribute number = mma->getAttr(tileas::numberAttr))
      result.getDefiningOp()->setAttr(tileas::numberAttr, number);
    Type type = mma->getResult(0).getType();
    if (result.getType() != type)
      result = tileas::ConvertLayoutOp::create(builder, mma->getLoc(), type, result);
    mma->replaceAllUsesWith(ValueRange(result));
    mma->erase();
  }

  void multiply(tileaa::MmaOp mma) {
    const tileas::MmaChoice &choice = proposals.choiceOf(mma);
    Value lhs = choice.lhsInBuffer ? inBuffer(mma.getLhs(), choice.lhs, mma) : want(mma.getLhs(), choice.lhs, mma);
    Value rhs = choice.rhsInBuffer ? inBuffer(mma.getRhs(), choice.rhs, mma) : want(mma.getRhs(), choice.rhs, mma);
    Value acc = want(mma.getAcc(), choice.acc, mma);
    OpBuilder builder(mma);
    Value result =
        tileas::MmaOp::create(builder, mma.getLoc(), acc.getType(), choice.atom, lhs, rhs, acc, mma.getUnsignedLhs(),
                              mma.getUnsignedRhs(), mma.getFormatAttr(), mma.getFastAcc(), /*running=*/false);
    replaceProduct(mma, result);
  }

  void multiply(tileaa::MmaScaledOp mma) {
    const tileas::ScaledMmaChoice &choice = proposals.choiceOf(mma);
    Value acc = want(mma.getAcc(), choice.acc, mma);
    OpBuilder builder(mma);
    Value result = tileas::ScaledMmaOp::create(
        builder, mma.getLoc(), acc.getType(), choice.atom, want(mma.getLhs(), choice.lhs, mma),
        want(mma.getRhs(), choice.rhs, mma), acc, want(mma.getLhsScale(), choice.lhsScale, mma),
        want(mma.getRhsScale(), choice.rhsScale, mma), mma.getFormat(), mma.getScaleFormat());
    replaceProduct(mma, result);
  }

  void rewrite(tileaa::ReduceOp reduce) {
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
  int64_t warps;
  const LayoutProposals &proposals;
  const LayoutClasses &classes;
  DenseMap<std::pair<Value, Type>, Value> copies, buffers;
};

// A layout maps the bits of coordinates. Tile IR has no other tiles; text on this level may.
LogicalResult checkExtents(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(type))
        if (!llvm::all_of(tile.getShape(), [](int64_t extent) { return llvm::isPowerOf2_64(extent); }))
          return op->emitError() << op->getName() << " has a result of type " << type
                                 << ", expected extents that are powers of two: use the next one, and padding";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

class TileaaToTileas : public tilewright::impl::TileaaToTileasBase<TileaaToTileas> {
  // A number that each thread has is repeated by each in any layout: uses do not have to agree on one, as two passes
  // over a row do not that use its maximum.
  static void repeatForEachUse(func::FuncOp function) {
    SmallVector<tileaa::BroadcastOp> repeated;
    function.walk([&](tileaa::BroadcastOp broadcast) {
      auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
      if (source && source.getNumElements() == 1)
        repeated.push_back(broadcast);
    });
    for (tileaa::BroadcastOp broadcast : repeated)
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(broadcast->getUses())))
        use.set(OpBuilder(broadcast).clone(*broadcast)->getResult(0));
  }

  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture || !tileas::expectCta(getOperation()) || failed(checkExtents(getOperation())))
      return signalPassFailure();
    if (architecture->hasWgmma())
      transposeProducts(getOperation(), *architecture, tileas::warpsOf(getOperation()));
    repeatForEachUse(getOperation());
    LayoutProposals proposals(getOperation(), *architecture);
    Assignment(getOperation(), proposals).run();
  }
};

} // namespace
