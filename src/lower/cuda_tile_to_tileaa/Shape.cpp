// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, shapes, parts of tiles, bytes of tiles, facts.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult lowerConstant(ct::ConstantOp op, ct::ConstantOp::Adaptor, Emitter &emit) {
  Type type = emit.resultType();
  Type element = getElementTypeOrSelf(type);
  DenseElementsAttr value = op.getValue();
  Type format = value.getElementType();
  if (value.isSplat() || isa<IntegerType, FloatType>(type))
    return emit.replace(emit.constant(type, aa::store(*value.getValues<Attribute>().begin(), format)));
  if (format != element) {
    auto stored = llvm::map_range(value.getValues<Attribute>(),
                                  [&](Attribute number) -> Attribute { return aa::store(number, format); });
    SmallVector<Attribute> elements(stored);
    value = DenseElementsAttr::get(cast<RankedTensorType>(type), elements);
  } else {
    value = value.reshape(cast<RankedTensorType>(type));
  }
  return emit.replace(emit.create<arith::ConstantOp>(value).getResult());
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

/// Indices that count parts of a tile, as offsets in elements. One that selects no part selects the last.
static SmallVector<Value> getOffsets(Emitter &emit, ValueRange indices, RankedTensorType part, Type whole) {
  SmallVector<Value> offsets;
  for (auto [index, extent, of] : llvm::zip_equal(indices, part.getShape(), cast<RankedTensorType>(whole).getShape())) {
    Value inside = emit.make<arith::MinUIOp>(emit.toIndex(index), emit.index(of / extent - 1));
    offsets.push_back(emit.make<arith::MulIOp>(inside, emit.index(extent)));
  }
  return offsets;
}

static LogicalResult lowerExtract(ct::ExtractOp, ct::ExtractOp::Adaptor operands, Emitter &emit) {
  auto type = dyn_cast<RankedTensorType>(emit.resultType());
  if (!type || type == operands.getSource().getType())
    return emit.replace(operands.getSource());
  SmallVector<Value> offsets = getOffsets(emit, operands.getIndices(), type, operands.getSource().getType());
  return emit.replace(emit.create<aa::ExtractOp>(type, operands.getSource(), offsets).getResult());
}

static LogicalResult lowerInsert(ct::InsertOp, ct::InsertOp::Adaptor operands, Emitter &emit) {
  auto part = dyn_cast<RankedTensorType>(operands.getSource().getType());
  if (!part || part == emit.resultType())
    return emit.replace(operands.getSource());
  SmallVector<Value> offsets = getOffsets(emit, operands.getIndices(), part, emit.resultType());
  return emit.replace(
      emit.create<aa::InsertOp>(emit.resultType(), operands.getSource(), operands.getDestination(), offsets)
          .getResult());
}

//===-- bytes -------------------------------------------------------------===//

/// The bits of an element, without the padding of its storage.
static unsigned getPackedBits(Type tile) {
  return ct::getElementBitWidth(cast<ct::TileType>(tile).getElementType());
}

static RankedTensorType getTile(Type element, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, element);
}

/// [0, bits, 2 * bits, ...] along the second dimension.
static Value makeShifts(Emitter &emit, RankedTensorType type, unsigned bits) {
  Type element = type.getElementType();
  int64_t count = type.getShape()[1];
  auto row = getTile(element, count);
  Value shifts = emit.create<arith::MulIOp>(emit.create<aa::IotaOp>(row), emit.constant(row, bits));
  Value matrix = emit.make<aa::ReshapeOp>(getTile(element, {1, count}), shifts);
  return emit.make<aa::BroadcastOp>(type, matrix);
}

/// The parts of words, low bits first, each in the low bits of a word.
static Value split(Emitter &emit, Value words, unsigned parts) {
  auto type = cast<RankedTensorType>(words.getType());
  Type element = type.getElementType();
  int64_t size = type.getNumElements();
  unsigned bits = element.getIntOrFloatBitWidth() / parts;
  auto matrix = getTile(element, {size, parts});
  Value column = emit.make<aa::ReshapeOp>(getTile(element, {size, 1}), words);
  Value shifted =
      emit.create<arith::ShRUIOp>(emit.make<aa::BroadcastOp>(matrix, column), makeShifts(emit, matrix, bits));
  Value mask = emit.constant(matrix, APInt::getLowBitsSet(element.getIntOrFloatBitWidth(), bits));
  return emit.make<aa::ReshapeOp>(getTile(element, size * parts), emit.create<arith::AndIOp>(shifted, mask));
}

/// Words whose parts, low bits first, are the low bits of neighbours.
static Value join(Emitter &emit, Value words, unsigned parts) {
  auto type = cast<RankedTensorType>(words.getType());
  Type element = type.getElementType();
  int64_t size = type.getNumElements() / parts;
  auto matrix = getTile(element, {size, parts});
  Value rows = emit.make<aa::ReshapeOp>(matrix, words);
  unsigned bits = element.getIntOrFloatBitWidth() / parts;
  Value shifted = emit.create<arith::ShLIOp>(rows, makeShifts(emit, matrix, bits));
  auto reduce = emit.create<aa::ReduceOp>(TypeRange(getTile(element, size)), ValueRange(shifted),
                                          ValueRange(emit.constant(element, 0)), /*dim=*/1);
  OpBuilder::InsertionGuard guard(emit.rewriter);
  Block *body = emit.rewriter.createBlock(&reduce.getBody(), {}, {element, element}, {emit.loc, emit.loc});
  Value sum = emit.create<arith::OrIOp>(body->getArgument(0), body->getArgument(1));
  emit.create<aa::YieldOp>(ValueRange(sum));
  return reduce.getResult(0);
}

/// Integers of another width, without their sign.
static Value resize(Emitter &emit, Value words, unsigned bits) {
  Type type = withElementType(words.getType(), emit.rewriter.getIntegerType(bits));
  unsigned from = getElementTypeOrSelf(words.getType()).getIntOrFloatBitWidth();
  if (from == bits)
    return words;
  return from < bits ? emit.make<arith::ExtUIOp>(type, words) : emit.make<arith::TruncIOp>(type, words);
}

static Value asBits(Emitter &emit, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Type bits = emit.rewriter.getIntegerType(element.getIntOrFloatBitWidth());
  return element == bits ? value : emit.make<arith::BitcastOp>(withElementType(value.getType(), bits), value);
}

static LogicalResult lowerPack(ct::PackOp op, ct::PackOp::Adaptor operands, Emitter &emit) {
  Value source = asBits(emit, operands.getSource());
  unsigned bits = getPackedBits(op.getSource().getType());
  if (bits < 8)
    return emit.replace(join(emit, resize(emit, source, 8), 8 / bits));
  return emit.replace(resize(emit, split(emit, source, bits / 8), 8));
}

static LogicalResult lowerUnpack(ct::UnpackOp op, ct::UnpackOp::Adaptor operands, Emitter &emit) {
  unsigned bits = getPackedBits(op.getType());
  Type type = emit.resultType();
  unsigned storage = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value words = bits < 8 ? split(emit, operands.getSource(), 8 / bits)
                         : join(emit, resize(emit, operands.getSource(), bits), bits / 8);
  words = resize(emit, words, storage);
  return emit.replace(words.getType() == type ? words : emit.make<arith::BitcastOp>(type, words));
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
