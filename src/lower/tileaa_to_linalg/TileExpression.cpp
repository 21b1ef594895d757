// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_linalg/TileExpression.h"
#include "tileaa/analysis/UnitReshape.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::isElementwiseTileOp(Operation *op) {
  return op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op) &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

static ArrayRef<int64_t> shapeOf(Value tile) {
  if (auto type = dyn_cast<RankedTensorType>(tile.getType()))
    return type.getShape();
  return {};
}

// One step from a tile towards where its elements come from: the source and its coordinates.
struct Step {
  Value source;
  SmallVector<AffineExpr> coordinates;
};

static std::optional<Step> stepThroughShape(Value tile, ArrayRef<AffineExpr> coordinates) {
  MLIRContext *context = tile.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (auto op = tile.getDefiningOp<tileaa::BroadcastOp>()) {
    Step step{op.getSource(), {}};
    for (auto [extent, coordinate] :
         llvm::zip(shapeOf(op.getSource()), coordinates.take_front(shapeOf(op.getSource()).size())))
      step.coordinates.push_back(extent == 1 ? zero : coordinate);
    return step;
  }
  if (auto op = tile.getDefiningOp<tileaa::PermuteOp>()) {
    Step step{op.getSource(), SmallVector<AffineExpr>(coordinates.size())};
    for (auto [result, source] : llvm::enumerate(op.getPermutation()))
      step.coordinates[source] = coordinates[result];
    return step;
  }
  if (auto op = tile.getDefiningOp<tileaa::ReshapeOp>()) {
    ArrayRef<int64_t> source = shapeOf(op.getSource());
    std::optional<SmallVector<int64_t>> mapping = tileaa::matchUnitReshape(source, shapeOf(tile));
    if (!mapping)
      return std::nullopt;
    Step step{op.getSource(), SmallVector<AffineExpr>(source.size(), zero)};
    for (auto [result, sourceDim] : llvm::enumerate(*mapping))
      if (sourceDim >= 0)
        step.coordinates[sourceDim] = coordinates[result];
    return step;
  }
  return std::nullopt;
}

static bool isScalar(Value value) {
  return !isa<ShapedType>(value.getType());
}

static TypedAttr getSplatElement(Value tile) {
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
  return splat ? splat.getSplatValue<TypedAttr>() : nullptr;
}

bool tilewright::isFreeTile(Value tile) {
  if (isScalar(tile) || getSplatElement(tile) || tile.getDefiningOp<tileaa::IotaOp>())
    return true;
  SmallVector<AffineExpr> any(shapeOf(tile).size(), getAffineConstantExpr(0, tile.getContext()));
  std::optional<Step> step = stepThroughShape(tile, any);
  return step && isFreeTile(step->source);
}

bool tilewright::isExpression(Value tile) {
  if (isFreeTile(tile))
    return true;
  if (Operation *op = tile.getDefiningOp(); op && isElementwiseTileOp(op))
    return true;
  SmallVector<AffineExpr> any(shapeOf(tile).size(), getAffineConstantExpr(0, tile.getContext()));
  return stepThroughShape(tile, any).has_value();
}

TileExpression::Key TileExpression::makeKey(Value tile, ArrayRef<AffineExpr> coordinates) const {
  return {tile, AffineMap::get(numLoops, 0, coordinates, tile.getContext())};
}

void TileExpression::collect(Value tile, ArrayRef<AffineExpr> coordinates) {
  if (isScalar(tile))
    return;
  Key key = makeKey(tile, coordinates);
  if (!visited.insert({key, true}).second)
    return;
  if (exists(tile) || !isExpression(tile)) {
    inputOf.insert({key, inputs.size()});
    inputs.push_back(tile);
    maps.push_back(key.second);
    return;
  }
  if (std::optional<Step> step = stepThroughShape(tile, coordinates))
    return collect(step->source, step->coordinates);
  if (getSplatElement(tile) || tile.getDefiningOp<tileaa::IotaOp>())
    return;
  for (Value operand : tile.getDefiningOp()->getOperands())
    collect(operand, coordinates);
}

Value TileExpression::emit(OpBuilder &builder, Value tile, ArrayRef<AffineExpr> coordinates, ValueRange inputArgs) {
  if (isScalar(tile))
    return tile;
  Key key = makeKey(tile, coordinates);
  if (auto input = inputOf.find(key); input != inputOf.end())
    return inputArgs[input->second];
  if (Value value = emitted.lookup(key))
    return value;

  Location loc = tile.getLoc();
  Value value;
  if (TypedAttr element = getSplatElement(tile)) {
    value = arith::ConstantOp::create(builder, loc, element);
  } else if (auto iota = tile.getDefiningOp<tileaa::IotaOp>()) {
    AffineExpr coordinate = coordinates.front();
    Value index;
    if (auto dim = dyn_cast<AffineDimExpr>(coordinate))
      index = linalg::IndexOp::create(builder, loc, dim.getPosition());
    else
      index = arith::ConstantIndexOp::create(builder, loc, cast<AffineConstantExpr>(coordinate).getValue());
    value = arith::IndexCastOp::create(builder, loc, cast<RankedTensorType>(tile.getType()).getElementType(), index);
  } else if (std::optional<Step> step = stepThroughShape(tile, coordinates)) {
    value = emit(builder, step->source, step->coordinates, inputArgs);
  } else {
    Operation *op = tile.getDefiningOp();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(emit(builder, operand, coordinates, inputArgs));
    Operation *scalar = builder.create(loc, op->getName().getIdentifier(), operands,
                                       getElementTypeOrSelf(tile.getType()), op->getAttrs());
    value = scalar->getResult(0);
  }
  emitted[key] = value;
  return value;
}
