// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, shapes, parts of tiles, bytes of tiles, facts.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult lowerConstant(ct::ConstantOp op, ct::ConstantOp::Adaptor, Emitter &emit) {
  Type type = emit.resultType();
  Type element = getElementTypeOrSelf(type);
  DenseElementsAttr value = op.getValue();
  // An element in the new type: tf32 is the one that changes.
  auto convertElement = [&](Attribute attribute) -> Attribute {
    auto number = dyn_cast<FloatAttr>(attribute);
    if (!number || number.getType() == element)
      return attribute;
    APFloat wide = number.getValue();
    bool losesInfo = false;
    wide.convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return FloatAttr::get(element, wide);
  };
  if (value.isSplat() || isa<IntegerType, FloatType>(type))
    return emit.replace(emit.constant(type, cast<TypedAttr>(convertElement(*value.getValues<Attribute>().begin()))));
  SmallVector<Attribute> elements(llvm::map_range(value.getValues<Attribute>(), convertElement));
  return emit.replace(
      emit.create<arith::ConstantOp>(DenseElementsAttr::get(cast<RankedTensorType>(type), elements)).getResult());
}

static LogicalResult lowerBroadcast(ct::BroadcastOp, ct::BroadcastOp::Adaptor operands, Emitter &emit) {
  Type type = emit.resultType();
  Value source = operands.getSource();
  if (source.getType() == type)
    return emit.replace(source);
  // A scalar that was reshaped to 1x1 only to be repeated.
  if (auto reshape = source.getDefiningOp<aa::ReshapeOp>(); reshape && !isa<ShapedType>(reshape.getSource().getType()))
    source = reshape.getSource();
  return emit.replace(emit.make<aa::BroadcastOp>(type, source));
}

static LogicalResult lowerReshape(ct::ReshapeOp, ct::ReshapeOp::Adaptor operands, Emitter &emit) {
  Type type = emit.resultType();
  if (operands.getSource().getType() == type)
    return emit.replace(operands.getSource());
  return emit.replace(emit.make<aa::ReshapeOp>(type, operands.getSource()));
}

static LogicalResult lowerPermute(ct::PermuteOp op, ct::PermuteOp::Adaptor operands, Emitter &emit) {
  SmallVector<int64_t> permutation(op.getPermutation());
  if (permutation.empty())
    return emit.replace(operands.getSource());
  return emit.replace(emit.make<aa::PermuteOp>(emit.resultType(), operands.getSource(), permutation));
}

/// Indices that count parts of a shape, as offsets in elements.
static SmallVector<Value> getOffsets(Emitter &emit, ValueRange indices, RankedTensorType part) {
  SmallVector<Value> offsets;
  for (auto [index, extent] : llvm::zip_equal(indices, part.getShape()))
    offsets.push_back(emit.make<arith::MulIOp>(emit.toIndex(index), emit.index(extent)));
  return offsets;
}

static LogicalResult lowerExtract(ct::ExtractOp, ct::ExtractOp::Adaptor operands, Emitter &emit) {
  auto type = dyn_cast<RankedTensorType>(emit.resultType());
  if (!type || type == operands.getSource().getType())
    return emit.replace(operands.getSource());
  SmallVector<Value> offsets = getOffsets(emit, operands.getIndices(), type);
  return emit.replace(emit.create<aa::ExtractOp>(type, operands.getSource(), offsets).getResult());
}

static LogicalResult lowerInsert(ct::InsertOp, ct::InsertOp::Adaptor operands, Emitter &emit) {
  auto part = dyn_cast<RankedTensorType>(operands.getSource().getType());
  if (!part || part == emit.resultType())
    return emit.replace(operands.getSource());
  SmallVector<Value> offsets = getOffsets(emit, operands.getIndices(), part);
  return emit.replace(
      emit.create<aa::InsertOp>(emit.resultType(), operands.getSource(), operands.getDestination(), offsets)
          .getResult());
}

//===-- bytes -------------------------------------------------------------===//

/// [0, 8, 16, ...] along the second dimension of [elements, bytes].
static Value makeShifts(Emitter &emit, RankedTensorType type) {
  Type element = type.getElementType();
  int64_t bytes = type.getShape()[1];
  auto row = RankedTensorType::get({bytes}, element);
  Value iota = emit.create<aa::IotaOp>(row);
  Value bits = emit.create<arith::MulIOp>(iota, emit.constant(row, 8));
  Value matrix = emit.make<aa::ReshapeOp>(RankedTensorType::get({1, bytes}, element), bits);
  return emit.make<aa::BroadcastOp>(type, matrix);
}

static Type getBits(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

/// The bytes of an element are the element shifted by multiples of 8.
static LogicalResult lowerPack(ct::PackOp, ct::PackOp::Adaptor operands, Emitter &emit) {
  Value source = operands.getSource();
  auto type = cast<RankedTensorType>(source.getType());
  Type bits = getBits(type.getElementType());
  if (bits.getIntOrFloatBitWidth() < 8)
    return emit.refuse(" of elements narrower than a byte");
  source = emit.make<arith::BitcastOp>(withElementType(type, bits), source);
  if (bits.isInteger(8))
    return emit.replace(source);
  int64_t size = type.getNumElements(), bytes = bits.getIntOrFloatBitWidth() / 8;
  auto matrix = RankedTensorType::get({size, bytes}, bits);
  Value column = emit.make<aa::ReshapeOp>(RankedTensorType::get({size, 1}, bits), source);
  Value shifted = emit.create<arith::ShRUIOp>(emit.make<aa::BroadcastOp>(matrix, column), makeShifts(emit, matrix));
  Value parts = emit.create<arith::TruncIOp>(withElementType(matrix, emit.rewriter.getI8Type()), shifted);
  return emit.replace(emit.make<aa::ReshapeOp>(emit.resultType(), parts));
}

static LogicalResult lowerUnpack(ct::UnpackOp, ct::UnpackOp::Adaptor operands, Emitter &emit) {
  Value source = operands.getSource();
  auto type = cast<RankedTensorType>(emit.resultType());
  Type bits = getBits(type.getElementType());
  if (bits.getIntOrFloatBitWidth() < 8)
    return emit.refuse(" to elements narrower than a byte");
  if (bits.isInteger(8))
    return emit.replace(emit.make<arith::BitcastOp>(type, source));
  int64_t size = type.getNumElements(), bytes = bits.getIntOrFloatBitWidth() / 8;
  auto matrix = RankedTensorType::get({size, bytes}, bits);
  Value parts = emit.make<aa::ReshapeOp>(withElementType(matrix, emit.rewriter.getI8Type()), source);
  Value wide = emit.create<arith::ExtUIOp>(matrix, parts);
  Value shifted = emit.create<arith::ShLIOp>(wide, makeShifts(emit, matrix));
  Value zero = emit.constant(bits, 0);
  auto reduce = emit.create<aa::ReduceOp>(TypeRange(withElementType(type, bits)), ValueRange(shifted), ValueRange(zero),
                                          /*dim=*/1);
  {
    OpBuilder::InsertionGuard guard(emit.rewriter);
    Block *body = emit.rewriter.createBlock(&reduce.getBody(), {}, {bits, bits}, {emit.loc, emit.loc});
    Value sum = emit.create<arith::OrIOp>(body->getArgument(0), body->getArgument(1));
    emit.create<aa::YieldOp>(ValueRange(sum));
  }
  return emit.replace(emit.make<arith::BitcastOp>(type, reduce.getResult(0)));
}

//===-- facts -------------------------------------------------------------===//

/// Divisibility of whole values is kept; other facts have no user yet.
static LogicalResult lowerAssume(ct::AssumeOp op, ct::AssumeOp::Adaptor operands, Emitter &emit) {
  Value value = operands.getValue();
  auto divBy = dyn_cast<ct::DivByAttr>(op.getPredicate());
  if (!divBy || divBy.getEvery() || divBy.getAlong() || divBy.getDivisor() <= 1 ||
      !isa<IntegerType>(getElementTypeOrSelf(value.getType())))
    return emit.replace(value);
  if (auto known = value.getDefiningOp<aa::AssumeDivByOp>();
      known && known.getDivisor() % static_cast<int64_t>(divBy.getDivisor()) == 0)
    return emit.replace(value);
  return emit.replace(
      emit.create<aa::AssumeDivByOp>(value.getType(), value, static_cast<int64_t>(divBy.getDivisor())).getResult());
}

void tilewright::populateShape(Lowerings &lowerings) {
  lowerings.add<ct::ConstantOp>(lowerConstant);
  lowerings.add<ct::IotaOp>([](ct::IotaOp, ct::IotaOp::Adaptor, Emitter &emit) {
    return emit.replace(emit.create<aa::IotaOp>(emit.resultType()).getResult());
  });
  lowerings.add<ct::BroadcastOp>(lowerBroadcast);
  lowerings.add<ct::ReshapeOp>(lowerReshape);
  lowerings.add<ct::PermuteOp>(lowerPermute);
  lowerings.add<ct::CatOp>([](ct::CatOp op, ct::CatOp::Adaptor operands, Emitter &emit) {
    return emit.replace(
        emit.create<aa::CatOp>(emit.resultType(), operands.getLhs(), operands.getRhs(), op.getDim()).getResult());
  });
  lowerings.add<ct::ExtractOp>(lowerExtract);
  lowerings.add<ct::InsertOp>(lowerInsert);
  lowerings.add<ct::PackOp>(lowerPack);
  lowerings.add<ct::UnpackOp>(lowerUnpack);
  lowerings.add<ct::AssumeOp>(lowerAssume);
}
