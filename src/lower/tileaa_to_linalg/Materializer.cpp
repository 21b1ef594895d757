// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_linalg/Materializer.h"
#include "lower/tileaa_to_linalg/TileExpression.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

namespace {

// Costs up to which an element is rematerialized, where its use repeats it, or where there are several uses.
constexpr int64_t repeated = 2, several = 3;

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

bool isTileExpression(Operation *op) {
  return op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) &&
         isExpression(op->getResult(0));
}

// How many elements of the result have the same element of the operand.
int64_t repetitions(Operation *op) {
  auto broadcast = dyn_cast<tileaa::BroadcastOp>(op);
  if (!broadcast)
    return 1;
  auto source = dyn_cast<RankedTensorType>(broadcast.getSource().getType());
  return source ? cast<RankedTensorType>(broadcast.getType()).getNumElements() / source.getNumElements() : 1;
}

// The cost up to which an element is rematerialized, at several uses or along the dimensions in which its use repeats
// it. A stored element is written once, and read as often. Of bits a loop that computes them sees where they are the
// same in a whole vector, and accesses need no masks there.
int64_t cheapCost(Value tile) {
  constexpr int64_t severalTimes = 4, ofBits = 16;
  bool isRepeated = llvm::any_of(tile.getUsers(), [](Operation *user) { return repetitions(user) >= severalTimes; });
  if (tile.use_empty() || (tile.hasOneUse() && !isRepeated))
    return std::numeric_limits<int64_t>::max();
  if (cast<RankedTensorType>(tile.getType()).getElementType().isInteger(1))
    return ofBits;
  return tile.hasOneUse() ? repeated : several;
}

// Whether the elements follow from coordinates and scalars: nothing is read to compute them.
bool isOfCoordinates(Value tile) {
  return isFreeTile(tile) || (isExpression(tile) && llvm::all_of(tile.getDefiningOp()->getOperands(), isOfCoordinates));
}

} // namespace

SmallVector<AffineExpr> tilewright::loopDims(MLIRContext *context, int64_t count) {
  SmallVector<AffineExpr> dims;
  for (int64_t dim = 0; dim < count; ++dim)
    dims.push_back(getAffineDimExpr(dim, context));
  return dims;
}

// An expression is stored where computing it at each use would cost more than reading it: dear ones with several uses,
// or one that repeats it, and those that are used in a loop they do not belong to.
Materializer::Materializer(func::FuncOp function) : function(function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isTileExpression(op) || isFreeTile(op->getResult(0)))
      return;
    Value tile = op->getResult(0);
    if (isElementwiseTileOp(op) && (isHoisted(op) || recomputationCost(tile) > cheapCost(tile)))
      chosen.insert(tile);
  });
}

// A cheap tile of coordinates, such as the mask of a row's columns, is computed in the loop all the same.
bool Materializer::isHoisted(Operation *op) const {
  Value tile = op->getResult(0);
  bool usedDeeper = llvm::any_of(op->getUsers(), [&](Operation *user) { return user->getBlock() != op->getBlock(); });
  return usedDeeper && !(isOfCoordinates(tile) && recomputationCost(tile) <= several);
}

bool Materializer::isStored(Value tile) const {
  return !isExpression(tile) || chosen.contains(tile);
}

// The tile's expression down to what lies in memory, in additions, capped.
int64_t Materializer::recomputationCost(Value tile) const {
  Operation *op = tile.getDefiningOp();
  if (!op || isStored(tile) || isFreeTile(tile))
    return 0;
  int64_t cost = isElementwiseTileOp(op) ? costOf(op) : 0;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && cost < 100)
      cost += recomputationCost(operand);
  return cost;
}

// A stored expression whose first use reduces it is computed by the reduction's loop, which writes both.
bool Materializer::isWrittenByReduction(Value tile) const {
  Operation *op = tile.getDefiningOp(), *first = nullptr;
  for (Operation *user : op->getUsers()) {
    if (user->getBlock() != op->getBlock())
      return false;
    if (!first || user->isBeforeInBlock(first))
      first = user;
  }
  auto reduce = dyn_cast_or_null<tileaa::ReduceOp>(first);
  return reduce && reduce.getSources().size() == 1 && reduce.getSources()[0] == tile;
}

void Materializer::storeInPlace(Operation *op) {
  Value tile = op->getResult(0);
  if (isAwaited(tile) && !isWrittenByReduction(tile))
    materialize(tile);
}

Value Materializer::materialize(Value tile, Operation *before) {
  if (Value loop = loops.lookup(tile))
    return loop;
  if (!isExpression(tile))
    return tile;
  OpBuilder builder(function.getContext());
  if (before)
    builder.setInsertionPoint(before);
  else
    builder.setInsertionPointAfterValue(tile);
  Value result = buildLoop(
                     builder, tile.getLoc(), cast<RankedTensorType>(tile.getType()), tile,
                     [](OpBuilder &, ValueRange elements) { return elements.front(); }, tile)
                     .getResult(0);
  if (chosen.contains(tile))
    loops[tile] = result;
  return result;
}

Value Materializer::stored(Value tile) const {
  Value loop = loops.lookup(tile);
  return loop ? loop : tile;
}

linalg::GenericOp Materializer::buildLoop(OpBuilder &builder, Location loc, RankedTensorType type,
                                          ArrayRef<Value> tiles, Body body, Value written) const {
  SmallVector<AffineExpr> dims = loopDims(builder.getContext(), type.getRank());
  auto exists = [&](Value value) { return value != written && isStored(value); };
  TileExpression expression(type.getRank(), exists);
  for (Value tile : tiles)
    expression.collect(tile, dims);
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(expression.getInputMaps());
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  SmallVector<Value> inputs = llvm::map_to_vector(expression.getInputs(), [&](Value input) { return stored(input); });
  return linalg::GenericOp::create(builder, loc, TypeRange(type), inputs, ValueRange(empty), maps, iterators,
                                   [&](OpBuilder &inside, Location at, ValueRange args) {
                                     SmallVector<Value> elements;
                                     for (Value tile : tiles)
                                       elements.push_back(expression.emit(inside, tile, dims, args));
                                     linalg::YieldOp::create(inside, at, body(inside, elements));
                                   });
}

void Materializer::eraseExpressions() {
  SmallVector<Operation *> dead;
  function.walk([&](Operation *op) {
    if (isTileExpression(op))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead)) {
    if (Value loop = loops.lookup(op->getResult(0)))
      op->getResult(0).replaceAllUsesWith(loop);
    if (op->use_empty())
      op->erase();
  }
}
