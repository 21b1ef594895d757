// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_linalg/TileaaToLinalg.h"
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/TileExpression.h"
#include "tileaa/ir/Tileaa.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEAATOLINALG
#include "lower/tileaa_to_linalg/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

SmallVector<AffineExpr> loopDims(MLIRContext *context, int64_t count) {
  SmallVector<AffineExpr> dims;
  for (int64_t dim = 0; dim < count; ++dim)
    dims.push_back(getAffineDimExpr(dim, context));
  return dims;
}

// Rough cost of computing an elementwise op once more, in additions.
int64_t costOf(Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::AbsFOp, math::AbsIOp>(op))
    return 10;
  if (auto function = dyn_cast<tileaa::FloatOp>(op))
    return function.getKind() < tileaa::FloatKind::Max ? 10 : 2;
  if (isa<tileaa::ConvertOp>(op))
    return 5;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 5;
  return 1;
}

// Turns the expressions of one function into loops, in program order.
class Materializer {
public:
  explicit Materializer(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    chooseTiles();
    function.walk<WalkOrder::PreOrder>([&](Block *block) {
      if (!isa<tileaa::ReduceOp, tileaa::ScanOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      for (Operation &op : llvm::make_early_inc_range(*block))
        if (failed(lower(&op)))
          return failure();
    eraseExpressions();
    return success();
  }

private:
  // A tile lies in memory if no expression computes it, or if it was chosen to.
  bool isStored(Value tile) const { return !isExpression(tile) || chosen.contains(tile); }

  // The tile's expression down to what lies in memory, in additions, capped.
  int64_t recomputationCost(Value tile) const {
    Operation *op = tile.getDefiningOp();
    if (!op || isStored(tile) || isFreeTile(tile))
      return 0;
    int64_t cost = isElementwiseTileOp(op) ? costOf(op) : 0;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && cost < 100)
        cost += recomputationCost(operand);
    return cost;
  }

  // An expression is stored where computing it at each use would cost more than reading it: dear ones with several
  // uses, and all that are used in a loop they do not belong to.
  void chooseTiles() {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
        return;
      Value tile = op->getResult(0);
      if (!isExpression(tile) || isFreeTile(tile))
        return;
      constexpr int64_t cheap = 3;
      bool usedDeeper =
          llvm::any_of(op->getUsers(), [&](Operation *user) { return user->getBlock() != op->getBlock(); });
      bool severalUses = !tile.use_empty() && !tile.hasOneUse();
      if (isElementwiseTileOp(op) && (usedDeeper || (severalUses && recomputationCost(tile) > cheap)))
        chosen.insert(tile);
    });
  }

  //===-- one op ----------------------------------------------------------===//

  LogicalResult lower(Operation *op) {
    if (op->getNumResults() == 1 && chosen.contains(op->getResult(0)) && !loops.contains(op->getResult(0))) {
      if (!isDeferred(op))
        materialize(op->getResult(0));
      return success();
    }
    if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) && isExpression(op->getResult(0)))
      return success();
    if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
      return lowerLoadPtr(load);
    if (auto store = dyn_cast<tileaa::StorePtrOp>(op))
      return lowerStorePtr(store);
    if (auto atomic = dyn_cast<tileaa::AtomicRmwOp>(op))
      return lowerAtomicRmw(atomic);
    if (auto atomic = dyn_cast<tileaa::AtomicCasOp>(op))
      return lowerAtomicCas(atomic);
    if (auto reduce = dyn_cast<tileaa::ReduceOp>(op))
      return lowerReduce(reduce);
    if (auto mma = dyn_cast<tileaa::MmaOp>(op))
      return lowerMma(mma);
    if (auto reshape = dyn_cast<tileaa::ReshapeOp>(op))
      return lowerReshape(reshape);
    if (auto extract = dyn_cast<tileaa::ExtractOp>(op))
      return lowerExtract(extract);
    if (auto insert = dyn_cast<tileaa::InsertOp>(op))
      return lowerInsert(insert);
    if (auto cat = dyn_cast<tileaa::CatOp>(op))
      return lowerCat(cat);
    if (auto scan = dyn_cast<tileaa::ScanOp>(op))
      return lowerScan(scan);
    // Anything else that takes a tile takes it from memory.
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()) && isExpression(operand.get()))
        operand.set(materialize(operand.get(), op));
    return success();
  }

  // A stored expression whose first use reduces it is computed by the reduction's loop, which writes both.
  bool isDeferred(Operation *op) const {
    Value tile = op->getResult(0);
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      if (user->getBlock() != op->getBlock())
        return false;
      if (!first || user->isBeforeInBlock(first))
        first = user;
    }
    auto reduce = dyn_cast_or_null<tileaa::ReduceOp>(first);
    return reduce && reduce.getSources().size() == 1 && reduce.getSources()[0] == tile;
  }

  //===-- loops -----------------------------------------------------------===//

  // The tile in memory; `before` is where it is needed.
  Value materialize(Value tile, Operation *before = nullptr) {
    if (Value loop = loops.lookup(tile))
      return loop;
    if (!isExpression(tile))
      return tile;
    OpBuilder builder(function.getContext());
    if (before)
      builder.setInsertionPoint(before);
    else
      builder.setInsertionPointAfterValue(tile);
    Value result = buildElementwise(builder, tile);
    if (chosen.contains(tile))
      loops[tile] = result;
    return result;
  }

  Value stored(Value tile) {
    Value loop = loops.lookup(tile);
    return loop ? loop : tile;
  }

  Value buildElementwise(OpBuilder &builder, Value tile) {
    RankedTensorType type = tileType(tile);
    SmallVector<AffineExpr> dims = loopDims(tile.getContext(), type.getRank());
    auto exists = [&](Value value) { return value != tile && isStored(value); };
    TileExpression expression(type.getRank(), exists);
    expression.collect(tile, dims);
    Value empty = tensor::EmptyOp::create(builder, tile.getLoc(), type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(expression.getInputMaps());
    maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    SmallVector<Value> inputs = llvm::map_to_vector(expression.getInputs(), [&](Value input) { return stored(input); });
    auto generic =
        linalg::GenericOp::create(builder, tile.getLoc(), TypeRange(type), inputs, ValueRange(empty), maps, iterators,
                                  [&](OpBuilder &body, Location loc, ValueRange args) {
                                    linalg::YieldOp::create(body, loc, expression.emit(body, tile, dims, args));
                                  });
    return generic.getResult(0);
  }

  LogicalResult lowerReduce(tileaa::ReduceOp reduce) {
    OpBuilder builder(reduce);
    Location loc = reduce.getLoc();
    int64_t rank = tileType(reduce.getSources()[0]).getRank();
    int64_t dim = reduce.getDim();
    SmallVector<AffineExpr> dims = loopDims(reduce.getContext(), rank);
    SmallVector<AffineExpr> kept(dims);
    kept.erase(kept.begin() + dim);
    AffineMap keptMap = AffineMap::get(rank, 0, kept, reduce.getContext());

    // The source itself is wanted too: write it as a further result.
    Value also;
    if (reduce.getSources().size() == 1) {
      Value source = reduce.getSources()[0];
      if (chosen.contains(source) && !loops.contains(source))
        also = source;
    }
    auto exists = [&](Value value) { return value != also && isStored(value); };
    TileExpression expression(rank, exists);
    for (Value source : reduce.getSources())
      expression.collect(source, dims);

    SmallVector<Value> inits;
    SmallVector<Type> types;
    SmallVector<AffineMap> maps(expression.getInputMaps());
    for (auto [result, identity] : llvm::zip(reduce.getResults(), reduce.getIdentities())) {
      SmallVector<int64_t> shape(tileType(reduce.getSources()[0]).getShape());
      shape.erase(shape.begin() + dim);
      auto type = RankedTensorType::get(shape, identity.getType());
      Value empty = tensor::EmptyOp::create(builder, loc, shape, identity.getType());
      auto fill = linalg::FillOp::create(builder, loc, ValueRange(identity), ValueRange(empty));
      inits.push_back(fill.getResult(0));
      types.push_back(type);
      maps.push_back(keptMap);
    }
    // Inputs that all come from coordinates (sums over an iota) do not tell how long the loop is; a tile does.
    bool isOpenEnded =
        !also && llvm::none_of(expression.getInputMaps(), [&](AffineMap map) { return map.isFunctionOfDim(dim); });
    if (also || isOpenEnded) {
      RankedTensorType type = tileType(reduce.getSources()[0]);
      inits.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType()));
      types.push_back(type);
      maps.push_back(builder.getMultiDimIdentityMap(rank));
    }
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators[dim] = utils::IteratorType::reduction;
    SmallVector<Value> inputs = llvm::map_to_vector(expression.getInputs(), [&](Value input) { return stored(input); });
    auto generic = linalg::GenericOp::create(
        builder, loc, types, inputs, inits, maps, iterators, [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
          ValueRange inputArgs = args.take_front(expression.getInputs().size());
          ValueRange accumulators = args.drop_front(inputArgs.size());
          IRMapping mapping;
          SmallVector<Value> results;
          for (auto [i, source] : llvm::enumerate(reduce.getSources())) {
            Value element = expression.emit(body, source, dims, inputArgs);
            mapping.map(reduce.getBody().getArgument(2 * i), accumulators[i]);
            mapping.map(reduce.getBody().getArgument(2 * i + 1), marked(body, element, i, reduce));
            if (also || isOpenEnded)
              results.push_back(element);
          }
          for (Operation &op : reduce.getBody().front().without_terminator())
            cloneCombining(body, op, mapping, reduce);
          SmallVector<Value> yielded;
          for (Value value : reduce.getBody().front().getTerminator()->getOperands())
            yielded.push_back(mapping.lookupOrDefault(value));
          if (also || isOpenEnded)
            yielded.push_back(results.front());
          linalg::YieldOp::create(body, bodyLoc, yielded);
        });
    for (auto [result, tile] : llvm::zip(reduce.getResults(), generic.getResults())) {
      Value replacement = tile;
      if (!isa<RankedTensorType>(result.getType()))
        replacement = tensor::ExtractOp::create(builder, loc, tile, ValueRange());
      result.replaceAllUsesWith(replacement);
    }
    if (also)
      loops[also] = generic.getResults().back();
    reduce.erase();
    return success();
  }

  // The product's loops read along rows with vectors: a part that cuts rows is copied, not read in place.
  Value operandOf(tileaa::MmaOp mma, Value operand) {
    Value tile = materialize(operand, mma);
    Value part = tile;
    while (Operation *op = part.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
        break;
      part = op->getOperand(0);
    }
    auto slice = part.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || slice.getSourceType().getShape().back() == slice.getType().getShape().back())
      return tile;
    OpBuilder builder(mma);
    RankedTensorType type = tileType(tile);
    Value empty = tensor::EmptyOp::create(builder, mma.getLoc(), type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(
        builder, mma.getLoc(), TypeRange(type), ValueRange(tile), ValueRange(empty), maps, iterators,
        [](OpBuilder &body, Location loc, ValueRange args) { linalg::YieldOp::create(body, loc, args.front()); });
    return copy.getResult(0);
  }

  // With one accumulator and one operation there is no doubt about what is combined.
  static Value marked(OpBuilder &body, Value element, int64_t number, tileaa::ReduceOp reduce) {
    if (llvm::hasSingleElement(reduce.getBody().front().without_terminator()))
      return element;
    return cpu::ElementOp::create(body, reduce.getLoc(), element.getType(), element, number);
  }

  // The larger (smaller) of accumulator and element, where the accumulator, which starts from an identity that is a
  // number, never is NaN: one comparison that ignores a NaN element, where maxnumf has to look at both.
  static void cloneCombining(OpBuilder &body, Operation &op, IRMapping &mapping, tileaa::ReduceOp reduce) {
    FloatAttr identity;
    Block &combiner = reduce.getBody().front();
    if (reduce.getSources().size() == 1 && isa<arith::MaxNumFOp, arith::MinNumFOp>(op) &&
        op.getOperand(0) != op.getOperand(1) &&
        llvm::all_of(op.getOperands(),
                     [&](Value operand) { return llvm::is_contained(combiner.getArguments(), operand); }) &&
        matchPattern(reduce.getIdentities()[0], m_Constant(&identity)) && !identity.getValue().isNaN()) {
      Value accumulator = mapping.lookup(combiner.getArgument(0)), element = mapping.lookup(combiner.getArgument(1));
      auto predicate = isa<arith::MaxNumFOp>(op) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
      Value better = arith::CmpFOp::create(body, op.getLoc(), predicate, element, accumulator);
      mapping.map(op.getResult(0),
                  arith::SelectOp::create(body, op.getLoc(), better, element, accumulator).getResult());
      return;
    }
    body.clone(op, mapping);
  }

  LogicalResult lowerScan(tileaa::ScanOp scan) {
    OpBuilder builder(scan);
    SmallVector<Value> sources, destinations;
    for (auto [source, result] : llvm::zip_equal(scan.getSources(), scan.getResults())) {
      RankedTensorType type = tileType(result);
      sources.push_back(materialize(source, scan));
      destinations.push_back(tensor::EmptyOp::create(builder, scan.getLoc(), type.getShape(), type.getElementType()));
    }
    auto lowered = cpu::ScanOp::create(builder, scan.getLoc(), scan.getResultTypes(), sources, scan.getIdentities(),
                                       destinations, scan.getDim(), scan.getReverse());
    lowered.getBody().takeBody(scan.getBody());
    Operation *yield = lowered.getBody().front().getTerminator();
    builder.setInsertionPoint(yield);
    cpu::YieldOp::create(builder, yield->getLoc(), yield->getOperands());
    yield->erase();
    scan.replaceAllUsesWith(lowered.getResults());
    scan.erase();
    return success();
  }

  LogicalResult lowerMma(tileaa::MmaOp mma) {
    OpBuilder builder(mma);
    Value acc = mma.getAcc();
    auto constant = acc.getDefiningOp<arith::ConstantOp>();
    bool zero = constant && matchPattern(acc, m_AnyZeroFloat());
    zero |= constant && matchPattern(acc, m_Zero());
    RankedTensorType type = tileType(acc);
    Value destination =
        zero ? Value(tensor::EmptyOp::create(builder, mma.getLoc(), type.getShape(), type.getElementType()))
             : materialize(acc, mma);
    auto lowered = cpu::MmaOp::create(builder, mma.getLoc(), TypeRange(type), operandOf(mma, mma.getLhs()),
                                      operandOf(mma, mma.getRhs()), destination, ValueRange(), ValueRange(), zero,
                                      mma.getUnsignedLhs(), mma.getUnsignedRhs(), /*transposedLhs=*/false,
                                      /*ragged=*/false);
    mma.getResult().replaceAllUsesWith(lowered.getResult());
    mma.erase();
    return success();
  }

  //===-- pointers --------------------------------------------------------===//

  // One loop over a pointer access: the expressions of addresses, mask and value, then `access` on their elements.
  linalg::GenericOp buildAccess(Operation *op, RankedTensorType type, ArrayRef<Value> tiles,
                                llvm::function_ref<Value(OpBuilder &, ValueRange)> access) {
    OpBuilder builder(op);
    SmallVector<AffineExpr> dims = loopDims(op->getContext(), type.getRank());
    auto exists = [&](Value value) { return isStored(value); };
    TileExpression expression(type.getRank(), exists);
    for (Value tile : tiles)
      expression.collect(tile, dims);
    Value empty = tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(), type.getElementType());
    SmallVector<AffineMap> maps(expression.getInputMaps());
    maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
    SmallVector<Value> inputs = llvm::map_to_vector(expression.getInputs(), [&](Value input) { return stored(input); });
    return linalg::GenericOp::create(builder, op->getLoc(), TypeRange(type), inputs, ValueRange(empty), maps, iterators,
                                     [&](OpBuilder &body, Location loc, ValueRange args) {
                                       SmallVector<Value> elements;
                                       for (Value tile : tiles)
                                         elements.push_back(expression.emit(body, tile, dims, args));
                                       linalg::YieldOp::create(body, loc, access(body, elements));
                                     });
  }

  // The access for each element of `shape`, a tile or a scalar, in a loop of its own. What it gives, if anything does,
  // takes the place of `result`.
  LogicalResult lowerAccess(Operation *op, Type shape, ArrayRef<Value> tiles, Value result, Value token,
                            llvm::function_ref<Value(OpBuilder &, ValueRange)> access) {
    OpBuilder builder(op);
    auto type = dyn_cast<RankedTensorType>(shape);
    if (!type) {
      Value value = access(builder, tiles);
      if (result)
        result.replaceAllUsesWith(value);
    } else if (result && !result.use_empty()) {
      result.replaceAllUsesWith(buildAccess(op, type, tiles, access).getResult(0));
    } else if (hasEffect<MemoryEffects::Write>(op)) {
      auto effect = [&](OpBuilder &body, ValueRange elements) -> Value {
        access(body, elements);
        return arith::ConstantIntOp::create(body, op->getLoc(), 0, 1);
      };
      // Its result means nothing and is not written.
      buildAccess(op, type.clone(builder.getI1Type()), tiles, effect)
          ->setAttr("cpu.effect_only", builder.getUnitAttr());
    }
    replaceToken(builder, op, token);
    return success();
  }

  // The last of the elements where the op has a mask, else true.
  template <typename Op> static Value maskOf(OpBuilder &body, Op op, Value element) {
    return op.getMask() ? element : arith::ConstantIntOp::create(body, op.getLoc(), 1, 1).getResult();
  }

  LogicalResult lowerLoadPtr(tileaa::LoadPtrOp load) {
    Location loc = load.getLoc();
    Type type = load.getTile().getType(), element = getElementTypeOrSelf(type);
    SmallVector<Value> tiles{load.getAddresses()};
    for (Value tile : {load.getPadding(), load.getMask()})
      if (tile)
        tiles.push_back(tile);
    return lowerAccess(load, type, tiles, load.getTile(), load.getResultToken(), [&](OpBuilder &body, ValueRange args) {
      Value other =
          load.getPadding() ? args[1] : arith::ConstantOp::create(body, loc, body.getZeroAttr(element)).getResult();
      return cpu::PtrLoadOp::create(body, loc, element, args[0], maskOf(body, load, args.back()), other,
                                    load.getOrderingAttr())
          .getResult();
    });
  }

  LogicalResult lowerStorePtr(tileaa::StorePtrOp store) {
    Location loc = store.getLoc();
    SmallVector<Value> tiles{store.getAddresses(), store.getTile()};
    if (store.getMask())
      tiles.push_back(store.getMask());
    return lowerAccess(store, store.getTile().getType(), tiles, Value(), store.getResultToken(),
                       [&](OpBuilder &body, ValueRange args) {
                         cpu::PtrStoreOp::create(body, loc, args[1], args[0], maskOf(body, store, args.back()),
                                                 store.getOrderingAttr());
                         return Value();
                       });
  }

  LogicalResult lowerAtomicRmw(tileaa::AtomicRmwOp atomic) {
    Location loc = atomic.getLoc();
    SmallVector<Value> tiles{atomic.getAddresses(), atomic.getValue()};
    if (atomic.getMask())
      tiles.push_back(atomic.getMask());
    return lowerAccess(atomic, atomic.getValue().getType(), tiles, atomic.getOld(), atomic.getResultToken(),
                       [&](OpBuilder &body, ValueRange args) {
                         return cpu::AtomicRmwOp::create(body, loc, args[1].getType(), atomic.getKind(),
                                                         atomic.getOrdering(), args[0], args[1],
                                                         maskOf(body, atomic, args.back()))
                             .getResult();
                       });
  }

  LogicalResult lowerAtomicCas(tileaa::AtomicCasOp atomic) {
    Location loc = atomic.getLoc();
    SmallVector<Value> tiles{atomic.getAddresses(), atomic.getExpected(), atomic.getValue()};
    if (atomic.getMask())
      tiles.push_back(atomic.getMask());
    return lowerAccess(atomic, atomic.getValue().getType(), tiles, atomic.getOld(), atomic.getResultToken(),
                       [&](OpBuilder &body, ValueRange args) {
                         return cpu::AtomicCasOp::create(body, loc, args[1].getType(), atomic.getOrdering(), args[0],
                                                         args[1], args[2], maskOf(body, atomic, args.back()))
                             .getResult();
                       });
  }

  void replaceToken(OpBuilder &builder, Operation *op, Value token) {
    token.replaceAllUsesWith(tileaa::MakeTokenOp::create(builder, op->getLoc()).getResult());
    op->erase();
  }

  //===-- changes of shape that move elements -----------------------------===//

  LogicalResult lowerReshape(tileaa::ReshapeOp reshape) {
    OpBuilder builder(reshape);
    Location loc = reshape.getLoc();
    auto resultType = dyn_cast<RankedTensorType>(reshape.getResult().getType());
    Value source = reshape.getSource();
    if (!isa<RankedTensorType>(source.getType())) {
      reshape.getResult().replaceAllUsesWith(
          tensor::FromElementsOp::create(builder, loc, resultType, ValueRange(source)).getResult());
    } else if (!resultType) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      SmallVector<Value> indices(tileType(source).getRank(), zero);
      reshape.getResult().replaceAllUsesWith(
          tensor::ExtractOp::create(builder, loc, materialize(source, reshape), indices).getResult());
    } else {
      reshape.getResult().replaceAllUsesWith(reshapeTile(builder, loc, materialize(source, reshape), resultType));
    }
    reshape.erase();
    return success();
  }

  // Through one dimension, which every row-major tile has.
  Value reshapeTile(OpBuilder &builder, Location loc, Value tile, RankedTensorType type) {
    RankedTensorType from = tileType(tile);
    auto allDims = [](int64_t rank) {
      SmallVector<ReassociationIndices> groups(1);
      for (int64_t dim = 0; dim < rank; ++dim)
        groups[0].push_back(dim);
      return groups;
    };
    if (from.getRank() > 1)
      tile = tensor::CollapseShapeOp::create(builder, loc, tile, allDims(from.getRank()));
    if (type.getRank() > 1)
      tile = tensor::ExpandShapeOp::create(builder, loc, type, tile, allDims(type.getRank()));
    return tile;
  }

  static SmallVector<OpFoldResult> asFold(ValueRange values) {
    return SmallVector<OpFoldResult>(values.begin(), values.end());
  }
  static SmallVector<OpFoldResult> extents(OpBuilder &builder, ArrayRef<int64_t> shape) {
    return llvm::map_to_vector(shape, [&](int64_t extent) -> OpFoldResult { return builder.getIndexAttr(extent); });
  }

  LogicalResult lowerExtract(tileaa::ExtractOp extract) {
    OpBuilder builder(extract);
    RankedTensorType type = tileType(extract.getResult());
    SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
    Value slice =
        tensor::ExtractSliceOp::create(builder, extract.getLoc(), type, materialize(extract.getSource(), extract),
                                       asFold(extract.getOffsets()), extents(builder, type.getShape()), ones);
    extract.getResult().replaceAllUsesWith(slice);
    extract.erase();
    return success();
  }

  Value insertInto(OpBuilder &builder, Location loc, Value source, Value destination, ArrayRef<OpFoldResult> offsets) {
    RankedTensorType type = tileType(source);
    SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
    return tensor::InsertSliceOp::create(builder, loc, source, destination, offsets, extents(builder, type.getShape()),
                                         ones);
  }

  LogicalResult lowerInsert(tileaa::InsertOp insert) {
    OpBuilder builder(insert);
    Value result = insertInto(builder, insert.getLoc(), materialize(insert.getSource(), insert),
                              materialize(insert.getDestination(), insert), asFold(insert.getOffsets()));
    insert.getResult().replaceAllUsesWith(result);
    insert.erase();
    return success();
  }

  LogicalResult lowerCat(tileaa::CatOp cat) {
    OpBuilder builder(cat);
    RankedTensorType type = tileType(cat.getResult());
    Value result = tensor::EmptyOp::create(builder, cat.getLoc(), type.getShape(), type.getElementType());
    int64_t offset = 0;
    for (Value part : {cat.getLhs(), cat.getRhs()}) {
      SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
      offsets[cat.getDim()] = builder.getIndexAttr(offset);
      offset += tileType(part).getDimSize(cat.getDim());
      result = insertInto(builder, cat.getLoc(), materialize(part, cat), result, offsets);
    }
    cat.getResult().replaceAllUsesWith(result);
    cat.erase();
    return success();
  }

  // What the loops compute now has no users left.
  void eraseExpressions() {
    SmallVector<Operation *> dead;
    function.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
          isExpression(op->getResult(0)))
        dead.push_back(op);
    });
    for (Operation *op : llvm::reverse(dead)) {
      if (Value loop = loops.lookup(op->getResult(0)))
        op->getResult(0).replaceAllUsesWith(loop);
      if (op->use_empty())
        op->erase();
    }
  }

  func::FuncOp function;
  SmallVector<Block *> blocks;
  DenseSet<Value> chosen;
  DenseMap<Value, Value> loops;
};

struct TileaaToLinalg : tilewright::impl::TileaaToLinalgBase<TileaaToLinalg> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr("tileaa.kernel"))
      return;
    if (failed(Materializer(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
