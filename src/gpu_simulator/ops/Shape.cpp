// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move elements within the threads of a group, and look at none. Each is a list: for each element of
// the result that the group holds the place of one of the operand's. It is worked out once; an element that the group
// does not hold is a fault of the kernel, as only buffers pass elements between warps.
#include "gpu_simulator/ops/Elements.h"
#include "interpreter/Walk.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

using Index = interpreter::Index;

Index coordinatesOf(int64_t element, llvm::ArrayRef<int64_t> shape) {
  Index index(shape.size());
  for (size_t dim = shape.size(); dim-- != 0;) {
    index[dim] = element % shape[dim];
    element /= shape[dim];
  }
  return index;
}

int64_t numberOf(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  int64_t number = 0;
  for (auto [coordinate, extent] : llvm::zip_equal(index, shape))
    number = number * extent + coordinate;
  return number;
}

llvm::ArrayRef<int64_t> shapeOf(mlir::Value tile) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  return type ? type.getShape() : llvm::ArrayRef<int64_t>();
}

int32_t placeIn(const Tile &source, int64_t element, Actor &actor) {
  if (!source.holding)
    return 0;
  if (!source.holding->holds(element))
    actor.refuse("needs element " + llvm::Twine(element) + " of its operand, which " + actor.name() +
                 " cannot have: expected a tileas.convert_layout before, or a buffer");
  return source.holding->places[element];
}

// Sets the result to elements of the source: `from` maps each element of the result to one of the source, by numbers
// in whole tiles.
void move(Operation *op, Actor &actor, llvm::function_ref<int64_t(int64_t)> from) {
  mlir::Value result = op->getResult(0);
  const Tile &source = actor.tile(op->getOperand(0));
  const Holding *holding = actor.holdingOf(result.getType());
  std::vector<int32_t> &places = actor.kernel.indicesFor(op, actor.group);
  int64_t count = holding ? holding->size() : 1;
  if (places.empty() && count) {
    places.resize(count);
    for (int64_t i = 0; i != count; ++i)
      places[i] = placeIn(source, from(holding ? holding->elements[i] : 0), actor);
    if (llvm::is_contained(places, -1)) {
      places.clear();
      actor.set(result, Tile(source.element, holding, std::vector<Bits>(count)));
      return;
    }
  }
  std::vector<Bits> bits(count);
  for (int64_t i = 0; i != count; ++i)
    bits[i] = (*source.bits)[places[i]];
  actor.set(result, Tile(source.element, holding, std::move(bits)));
}

void broadcast(tileaa::BroadcastOp op, Actor &actor) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult()), source = shapeOf(op.getSource());
  move(op, actor, [&](int64_t element) {
    if (source.empty())
      return int64_t(0);
    Index index = coordinatesOf(element, shape);
    for (auto [coordinate, extent] : llvm::zip_equal(index, source))
      coordinate %= extent;
    return numberOf(index, source);
  });
}

void permute(tileaa::PermuteOp op, Actor &actor) {
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getResult()), source = shapeOf(op.getSource());
  move(op, actor, [&](int64_t element) {
    Index index = coordinatesOf(element, shape), of(index.size());
    for (auto [dim, sourceDim] : llvm::enumerate(op.getPermutation()))
      of[sourceDim] = index[dim];
    return numberOf(of, source);
  });
}

void cat(tileaa::CatOp op, Actor &actor) {
  const Tile &lhs = actor.tile(op.getLhs()), &rhs = actor.tile(op.getRhs());
  const Holding *holding = actor.holdingOf(op.getType());
  int64_t dim = op.getDim(), middle = shapeOf(op.getLhs())[dim];
  std::vector<Bits> bits(holding->size());
  for (auto [place, element] : llvm::enumerate(holding->elements)) {
    Index index = coordinatesOf(element, shapeOf(op.getResult()));
    bool isRight = index[dim] >= middle;
    index[dim] -= isRight ? middle : 0;
    const Tile &source = isRight ? rhs : lhs;
    int32_t from = placeIn(source, numberOf(index, shapeOf(isRight ? op.getRhs() : op.getLhs())), actor);
    bits[place] = from < 0 ? 0 : source.at(from);
  }
  actor.set(op.getResult(), Tile(lhs.element, holding, std::move(bits)));
}

Index offsetsOf(ValueRange offsets, Actor &actor) {
  Index index;
  for (mlir::Value offset : offsets)
    index.push_back(actor.integer(offset));
  return index;
}

void extract(tileaa::ExtractOp op, Actor &actor) {
  const Tile &source = actor.tile(op.getSource());
  const Holding *holding = actor.holdingOf(op.getType());
  Index offset = offsetsOf(op.getOffsets(), actor);
  llvm::ArrayRef<int64_t> whole = shapeOf(op.getSource());
  std::vector<Bits> bits(holding->size());
  for (auto [place, element] : llvm::enumerate(holding->elements)) {
    Index index = coordinatesOf(element, shapeOf(op.getResult()));
    bool isInside = true;
    for (auto [dim, coordinate] : llvm::enumerate(index)) {
      coordinate += offset[dim];
      isInside &= coordinate >= 0 && coordinate < whole[dim];
    }
    int32_t from = isInside ? placeIn(source, numberOf(index, whole), actor) : -1;
    bits[place] = from < 0 ? 0 : source.at(from);
  }
  actor.set(op.getResult(), Tile(source.element, holding, std::move(bits)));
}

void insert(tileaa::InsertOp op, Actor &actor) {
  const Tile &part = actor.tile(op.getSource());
  const Holding *holding = actor.holdingOf(op.getType());
  Tile destination = actor.tileAs(op.getDestination(), holding);
  Index offset = offsetsOf(op.getOffsets(), actor);
  llvm::ArrayRef<int64_t> shape = shapeOf(op.getSource());
  std::vector<Bits> bits(*destination.bits);
  for (auto [place, element] : llvm::enumerate(holding->elements)) {
    Index index = coordinatesOf(element, shapeOf(op.getResult()));
    bool isInside = true;
    for (auto [dim, coordinate] : llvm::enumerate(index)) {
      coordinate -= offset[dim];
      isInside &= coordinate >= 0 && coordinate < shape[dim];
    }
    int32_t from = isInside ? placeIn(part, numberOf(index, shape), actor) : -1;
    if (from >= 0)
      bits[place] = part.at(from);
  }
  actor.set(op.getResult(), Tile(part.element, holding, std::move(bits)));
}

// Element (i, j) of the result is what lies in the same register of the same thread of the source.
void splitWarps(tileas::SplitWarpsOp op, Actor &actor) {
  auto type = cast<RankedTensorType>(op.getType()), source = cast<RankedTensorType>(op.getSource().getType());
  llvm::DenseMap<int64_t, int64_t> from;
  std::vector<uint32_t> images;
  forEachPlace(source, actor.group, [&](uint32_t element, bool) { images.push_back(element); });
  size_t next = 0;
  forEachPlace(type, actor.group, [&](uint32_t element, bool) { from[element] = images[next++ % images.size()]; });
  move(op, actor, [&](int64_t element) { return from.lookup(element); });
}

} // namespace

void simulator::registerShapeOps(HandlerTable &table) {
  table.on<tileaa::IotaOp>([](tileaa::IotaOp op, Actor &actor) {
    const Holding *holding = actor.holdingOf(op.getType());
    Element element = elementOfType(op.getType());
    std::vector<Bits> bits;
    for (uint32_t number : holding->elements)
      bits.push_back(truncate(number, element));
    actor.set(op.getResult(), Tile(element, holding, std::move(bits)));
  });
  table.on<tileaa::ReshapeOp>(
      [](tileaa::ReshapeOp op, Actor &actor) { move(op, actor, [](int64_t element) { return element; }); });
  table.on<tileas::ConvertLayoutOp>(
      [](tileas::ConvertLayoutOp op, Actor &actor) { move(op, actor, [](int64_t element) { return element; }); });
  table.on<tileaa::BroadcastOp>(broadcast);
  table.on<tileaa::PermuteOp>(permute);
  table.on<tileas::SplitWarpsOp>(splitWarps);
  table.on<tileaa::CatOp>(cat);
  table.on<tileaa::ExtractOp>(extract);
  table.on<tileaa::InsertOp>(insert);
}
