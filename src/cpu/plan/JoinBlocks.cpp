// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/plan/BlockSpread.h"
#include "cpu/plan/WorthJoining.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUJOINBLOCKS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;
using tileaa::StoreViewOp;
using Along = BlockSpread::Along;

namespace {

class Joiner {
public:
  Joiner(func::FuncOp kernel, const BlockSpread &spread, int64_t blocks)
      : kernel(kernel), spread(spread), blocks(blocks) {}

  void run() {
    Block &body = kernel.getBody().front();
    for (Operation *op : llvm::map_to_vector(body, [](Operation &op) { return &op; })) {
      if (auto load = dyn_cast<LoadViewOp>(op))
        join(load);
      else if (auto store = dyn_cast<StoreViewOp>(op))
        join(store);
      else if (auto loop = dyn_cast<linalg::GenericOp>(op))
        join(loop);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op) || replaced.contains(&op))
        op.erase();
  }

private:
  Type widen(Type type, const Along &along) const {
    auto tile = dyn_cast<RankedTensorType>(type);
    return RankedTensorType::get(along.widen(tile ? tile.getShape() : ArrayRef<int64_t>(), blocks),
                                 getElementTypeOrSelf(type));
  }

  //===-- accesses ----------------------------------------------------------===//

  static SmallVector<int64_t> widen(ArrayRef<int64_t> dimMap, const Along &along, int64_t viewDim) {
    SmallVector<int64_t> wider(dimMap);
    if (along.isNew)
      wider.insert(wider.begin() + along.dim, viewDim);
    return wider;
  }

  void join(LoadViewOp load) {
    const Along *along = spread.of(load.getTile());
    if (!along)
      return;
    OpBuilder builder(load);
    auto wider = cast<LoadViewOp>(builder.clone(*load));
    wider.getTile().setType(widen(load.getTile().getType(), *along));
    wider.setDimMap(widen(load.getDimMap(), *along, *spread.viewDimOf(load)));
    wide[load.getTile()] = wider.getTile();
    load.getResultToken().replaceAllUsesWith(wider.getResultToken());
    replaced.insert(load);
  }

  void join(StoreViewOp store) {
    Value tile = store.getTile();
    bool isScalar = !isa<TensorType>(tile.getType());
    Value ofAll = isScalar ? tileOf(tile, store) : wide.at(tile);
    OpBuilder builder(store);
    auto wider = cast<StoreViewOp>(builder.clone(*store));
    wider.getTileMutable().set(ofAll);
    wider.setDimMap(widen(store.getDimMap(), isScalar ? Along() : *spread.of(tile), *spread.viewDimOf(store)));
    store.getResultToken().replaceAllUsesWith(wider.getResultToken());
    replaced.insert(store);
  }

  //===-- scalars -----------------------------------------------------------===//

  // The tiles of which a scalar's computation takes an element, each with the scalar that is this element.
  void collectElements(Value scalar, llvm::MapVector<Value, Value> &elements) const {
    Operation *op = scalar.getDefiningOp();
    if (!spread.differs(scalar) || isa<tileaa::BlockIdOp>(op))
      return;
    if (Value tile = tileOfElement(scalar)) {
      elements[scalar] = tile;
      return;
    }
    for (Value operand : op->getOperands())
      collectElements(operand, elements);
  }

  // The tile of one block that has the scalar as its only element; null if the scalar is computed.
  static Value tileOfElement(Value scalar) {
    if (auto extract = scalar.getDefiningOp<tensor::ExtractOp>())
      return extract.getTensor();
    return scalar.getDefiningOp<LoadViewOp>() ? scalar : Value();
  }

  // A scalar of the block whose number in its group is `number`, in the body of a loop.
  Value compute(OpBuilder &builder, Value scalar, Value number, IRMapping &known) const {
    if (!spread.differs(scalar))
      return scalar;
    if (Value value = known.lookupOrNull(scalar))
      return value;
    Operation *op = scalar.getDefiningOp();
    Location loc = op->getLoc();
    if (isa<tileaa::BlockIdOp>(op)) {
      Value later = arith::IndexCastOp::create(builder, loc, scalar.getType(), number);
      known.map(scalar, arith::AddIOp::create(builder, loc, scalar, later).getResult());
    } else {
      for (Value operand : op->getOperands())
        known.map(operand, compute(builder, operand, number, known));
      if (isa<tileaa::AssumeDivByOp>(op)) // is of no use in a body
        known.map(scalar, known.lookup(op->getOperand(0)));
      else
        builder.clone(*op, known);
    }
    return known.lookup(scalar);
  }

  // The tile with the scalar of each block.
  Value tileOf(Value scalar, Operation *before) {
    OpBuilder builder(before);
    Location loc = scalar.getLoc();
    Type type = scalar.getType();
    Value empty = tensor::EmptyOp::create(builder, loc, ArrayRef<int64_t>(), type);
    auto loop =
        linalg::GenericOp::create(builder, loc, empty.getType(), ValueRange(), empty, builder.getMultiDimIdentityMap(0),
                                  ArrayRef<utils::IteratorType>(), [&](OpBuilder &body, Location, ValueRange) {
                                    linalg::YieldOp::create(body, loc, scalar);
                                  });
    join(loop, Along(), Along());
    return wide.at(loop.getResult(0));
  }

  //===-- loops -------------------------------------------------------------===//

  AffineMap widen(AffineMap map, const Along &ofLoop, const Along *ofTile) const {
    MLIRContext *context = map.getContext();
    if (ofLoop.isNew)
      map = map.shiftDims(1);
    AffineExpr number = getAffineDimExpr(ofLoop.dim, context);
    SmallVector<AffineExpr> expressions(map.getResults());
    for (AffineExpr &expression : expressions)
      if (expression == number)
        expression = getAffineConstantExpr(0, context); // of one element
    if (ofTile && ofTile->isNew)
      expressions.insert(expressions.begin() + ofTile->dim, number);
    else if (ofTile)
      expressions[ofTile->dim] = number;
    return AffineMap::get(map.getNumDims(), 0, expressions, context);
  }

  // The tile that a loop's result begins with.
  Value widenInit(OpBuilder &builder, Value init, const Along &along) {
    if (Value known = wide.lookup(init))
      return known;
    Location loc = init.getLoc();
    auto type = cast<RankedTensorType>(widen(init.getType(), along));
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
    auto fill = init.getDefiningOp<linalg::FillOp>();
    return fill ? linalg::FillOp::create(builder, loc, fill.getInputs(), empty).getResult(0) : empty;
  }

  void join(linalg::GenericOp loop) {
    if (const Along *along = spread.of(loop))
      join(loop, *along);
  }

  void join(linalg::GenericOp loop, const Along &along, std::optional<Along> ofResult = std::nullopt) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : loop.getDpsInputOperands()) {
      Value tile = input->get();
      maps.push_back(widen(loop.getMatchingIndexingMap(input), along, spread.of(tile)));
      inputs.push_back(spread.of(tile) ? wide.at(tile) : tile);
    }
    llvm::MapVector<Value, Value> elements;
    for (Operation &op : *loop.getBody())
      for (Value operand : op.getOperands())
        collectElements(operand, elements);
    for (auto [scalar, tile] : elements) {
      auto type = dyn_cast<RankedTensorType>(tile.getType());
      SmallVector<AffineExpr> zeros(type ? type.getRank() : 0, builder.getAffineConstantExpr(0));
      AffineMap first = AffineMap::get(loop.getNumLoops(), 0, zeros, builder.getContext());
      maps.push_back(widen(first, along, spread.of(tile)));
      inputs.push_back(wide.at(tile));
    }
    for (auto [init, result] : llvm::zip(loop.getDpsInitsMutable(), loop->getResults())) {
      const Along &ofInit = ofResult ? *ofResult : *spread.of(result);
      maps.push_back(widen(loop.getMatchingIndexingMap(&init), along, &ofInit));
      inits.push_back(widenInit(builder, init.get(), ofInit));
    }
    SmallVector<utils::IteratorType> iterators = loop.getIteratorTypesArray();
    if (along.isNew)
      iterators.insert(iterators.begin(), utils::IteratorType::parallel);
    else
      iterators[along.dim] = utils::IteratorType::parallel;
    auto wider = linalg::GenericOp::create(builder, loc, ValueRange(inits).getTypes(), inputs, inits, maps, iterators);
    wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    wider.getRegion().takeBody(loop.getRegion());
    IRMapping known;
    for (auto [i, element] : llvm::enumerate(elements))
      known.map(element.first,
                wider.getBody()->insertArgument(loop.getNumDpsInputs() + i, element.first.getType(), loc));
    rewriteBody(wider, along, known);
    for (auto [before, after] : llvm::zip(loop->getResults(), wider->getResults()))
      wide[before] = after;
    replaced.insert(loop);
  }

  // Indices count from where the block begins, and scalars are those of the block.
  void rewriteBody(linalg::GenericOp loop, const Along &along, IRMapping &known) const {
    SmallVector<Operation *> ops = llvm::map_to_vector(*loop.getBody(), [](Operation &op) { return &op; });
    OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
    Location loc = loop.getLoc();
    Value place = linalg::IndexOp::create(builder, loc, along.dim);
    Value extent = arith::ConstantIndexOp::create(builder, loc, along.extent);
    Value number = builder.createOrFold<arith::DivUIOp>(loc, place, extent);
    Value inBlock = builder.createOrFold<arith::RemUIOp>(loc, place, extent);
    for (Operation *op : ops) {
      auto index = dyn_cast<linalg::IndexOp>(op);
      if (index && along.isNew)
        index.setDim(index.getDim() + 1);
      else if (index && (int64_t)index.getDim() == along.dim)
        index.getResult().replaceAllUsesWith(inBlock);
      for (OpOperand &operand : op->getOpOperands())
        if (spread.differs(operand.get()))
          operand.set(compute(builder, operand.get(), number, known));
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  func::FuncOp kernel;
  const BlockSpread &spread;
  int64_t blocks;
  DenseMap<Value, Value> wide; // the tile of several blocks for that of one
  llvm::SmallPtrSet<Operation *, 16> replaced;
};

struct CpuJoinBlocks : tilewright::impl::CpuJoinBlocksBase<CpuJoinBlocks> {
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      int64_t blocks = Plan::of(kernel).joinedBlocks;
      if (!tileaa::isKernel(kernel) || blocks == 1 || !BlockSpread::of(kernel))
        continue;
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(kernel);
      auto joined = cast<func::FuncOp>(builder.clone(*kernel));
      joined.setName((kernel.getName() + joinedSuffix).str());
      joined.setPrivate();
      joined->setAttr(joinedAttr, builder.getI64IntegerAttr(blocks));
      Joiner(joined, *BlockSpread::of(joined), blocks).run();
      askWhetherToJoin(kernel, *BlockSpread::of(kernel));
    }
  }
};

} // namespace
