// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same elements elsewhere, constants, facts about values.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

constexpr int64_t mostElements = 4096;

// Two of them share a byte.
bool isOddF4(ct::TileType type, ArrayRef<int64_t> part) {
  return isa<Float4E2M1FNType>(type.getElementType()) && llvm::all_of(part, [](int64_t extent) { return extent == 1; });
}

// A value of any element type whose rank is at least `rank`.
Value someValue(Body &body, int64_t rank, ElementSet set = stored | setOf(Element::I4) | setOf(Element::F4E2M1FN)) {
  ct::TileType type = body.someTile(set);
  if (type.getRank() < rank) {
    for (const Shape &shape : body.shapes)
      if (static_cast<int64_t>(shape.size()) >= rank && !isOddF4(type, shape))
        return body.pick(body.tile(shape, type.getElementType()));
    return body.pick(body.tile(Shape(rank, 2), type.getElementType()));
  }
  return body.pick(type);
}

ct::TileType typeOf(Value value) {
  return cast<ct::TileType>(value.getType());
}

bool writeReshape(Body &body) {
  Value source = someValue(body, 0);
  ct::TileType type = typeOf(source);
  // Powers of two dealt out to up to four dimensions.
  Shape shape(body.random.below(5), 1);
  int64_t rest = type.getNumElements();
  if (shape.empty() && rest > 1)
    return false;
  for (; rest > 1; rest /= 2)
    shape[body.random.below(shape.size())] *= 2;
  body.keep(body.make("reshape", source, body.tile(shape, type.getElementType())));
  return true;
}

bool writeBroadcast(Body &body) {
  Value source = someValue(body, 0);
  ct::TileType type = typeOf(source);
  Shape ones(type.getShape());
  ones.insert(ones.begin() + body.random.below(ones.size() + 1), 1);
  Value wide = body.make("reshape", source, body.tile(ones, type.getElementType()));
  int64_t budget = mostElements / 4 / type.getNumElements();
  for (int64_t &extent : ones)
    if (extent == 1 && budget > 1) {
      extent = body.random.pick<int64_t>({1, 2, 4, 8});
      extent = std::min<int64_t>(extent, llvm::bit_floor<uint64_t>(budget));
      budget /= extent;
    }
  body.keep(body.make("broadcast", wide, body.tile(ones, type.getElementType())));
  return true;
}

bool writePermute(Body &body) {
  Value source = someValue(body, 2);
  ct::TileType type = typeOf(source);
  SmallVector<int32_t> order(llvm::to_vector(llvm::seq<int32_t>(0, type.getRank())));
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[body.random.below(i)]);
  Shape shape;
  for (int32_t dim : order)
    shape.push_back(type.getDimSize(dim));
  body.keep(body.make("permute", source, body.tile(shape, type.getElementType()),
                      body.attribute("permutation", body.builder.getDenseI32ArrayAttr(order))));
  return true;
}

bool writeCat(Body &body) {
  Value lhs = someValue(body, 1);
  ct::TileType type = typeOf(lhs);
  if (type.getNumElements() > mostElements / 2)
    return false;
  int64_t dim = body.random.below(type.getRank());
  Shape shape(type.getShape());
  shape[dim] *= 2;
  body.keep(body.make("cat", {lhs, body.pick(type)}, body.tile(shape, type.getElementType()),
                      body.attribute("dim", body.builder.getI64IntegerAttr(dim))));
  return true;
}

// A shape that divides the type's, and an index of one such part.
Shape somePart(Body &body, ct::TileType type, SmallVectorImpl<Value> &indices) {
  Shape part;
  for (int64_t extent : type.getShape()) {
    int64_t pieces = std::min<int64_t>(extent, body.random.pick<int64_t>({1, 2, 4}));
    part.push_back(extent / pieces);
    indices.push_back(body.index(Element::I32, pieces));
  }
  return part;
}

bool writeExtract(Body &body) {
  Value source = someValue(body, 1);
  SmallVector<Value> operands = {source};
  Shape part = somePart(body, typeOf(source), operands);
  if (isOddF4(typeOf(source), part))
    return false;
  body.keep(body.make("extract", operands, body.tile(part, typeOf(source).getElementType())));
  return true;
}

bool writeInsert(Body &body) {
  Value whole = someValue(body, 1);
  SmallVector<Value> indices;
  Shape part = somePart(body, typeOf(whole), indices);
  if (isOddF4(typeOf(whole), part))
    return false;
  SmallVector<Value> operands = {body.pick(body.tile(part, typeOf(whole).getElementType())), whole};
  llvm::append_range(operands, indices);
  body.keep(body.make("insert", operands, whole.getType()));
  return true;
}

bool writeSelect(Body &body) {
  ct::TileType type = body.someTile(stored);
  Value condition = body.pick(body.tile(type.getShape(), Element::I1));
  Value yes = body.pick(type), no = body.pick(type);
  body.keep(body.select(condition, yes, no));
  return true;
}

bool writeIota(Body &body) {
  Element element = body.someElement(integers);
  int64_t count = element == Element::I1 ? 2 : int64_t(1) << body.random.below(8);
  body.keep(body.make("iota", {}, body.tile(count, element)));
  return true;
}

bool writeConstant(Body &body) {
  ct::TileType type = body.someTile(stored);
  body.keep(body.constant(type, body.random.pick({Contents::Zero, Contents::Small, Contents::Any})));
  return true;
}

// A value, and what holds of it because it was made so; null if the program has no place for that.
struct Assumption {
  Value value;
  Attribute fact;
};

Assumption makeBounded(Body &body, ct::TileType type) {
  int64_t high = body.random.pick<int64_t>({1, 7, 63});
  Value value = body.masked(type, high);
  std::optional<int64_t> lower = body.random.chance(80) ? std::optional<int64_t>(0) : std::nullopt;
  std::optional<int64_t> upper = body.random.chance(80) ? std::optional<int64_t>(high) : std::nullopt;
  if (!lower && !upper)
    return {};
  return {value, ct::BoundedAttr::get(body.context, lower, upper)};
}

Assumption makeDivisible(Body &body, ct::TileType type) {
  int64_t divisor = body.random.pick<int64_t>({2, 8, 32});
  return {body.binary("andi", body.pick(type), body.splat(type, -divisor)),
          ct::DivByAttr::get(body.context, divisor, std::nullopt, std::nullopt)};
}

// 0, 1, 2, ... from a multiple of 16: the first of each group is a multiple of the group.
Assumption makeDivisibleGroups(Body &body, ct::TileType type) {
  int64_t count = type.getNumElements(), every = std::min<int64_t>(count, 4);
  if (type.getRank() == 0 || count > 64)
    return {};
  ct::TileType scalar = body.tile({}, Element::I32);
  Value iota = body.make("iota", {}, body.tile(count, Element::I32));
  Value start = body.binary("andi", body.pick(scalar), body.splat(scalar, -16));
  return {body.binary("addi", iota, body.reshape(start, count)), ct::DivByAttr::get(body.context, every, every, 0)};
}

// One element repeated along the last dimension.
Assumption makeSame(Body &body, ct::TileType type) {
  if (type.getRank() == 0)
    return {};
  Shape once(type.getShape()), groups(type.getRank(), 1);
  once.back() = 1;
  groups.back() = type.getShape().back();
  return {body.make("broadcast", body.pick(body.tile(once, type.getElementType())), type),
          ct::SameElementsAttr::get(body.context, body.builder.getDenseI64ArrayAttr(groups))};
}

// Buffers begin at multiples of an element.
bool writeAssumeOfPointer(Body &body) {
  Area *area = body.findArea(/*forWrite=*/false);
  if (!area || !area->pointer)
    return false;
  auto fact = ct::DivByAttr::get(body.context, storageBytes(area->element), std::nullopt, std::nullopt);
  area->pointer = body.make("assume", area->pointer, area->pointer.getType(), body.attribute("predicate", fact));
  return true;
}

bool writeAssume(Body &body) {
  if (body.random.chance(20))
    return writeAssumeOfPointer(body);
  ct::TileType type = body.someTile(words);
  constexpr Assumption (*kinds[])(Body &, ct::TileType) = {makeBounded, makeDivisible, makeDivisibleGroups, makeSame};
  auto [value, fact] = kinds[body.random.below(std::size(kinds))](body, type);
  if (!fact)
    return false;
  body.keep(body.make("assume", value, value.getType(), body.attribute("predicate", fact)));
  return true;
}

} // namespace

void addShapes(Productions &productions) {
  productions.push_back({"constant", 2, writeConstant});
  productions.push_back({"iota", 2, writeIota});
  productions.push_back({"select", 5, writeSelect});
  productions.push_back({"reshape", 5, writeReshape});
  productions.push_back({"broadcast", 5, writeBroadcast});
  productions.push_back({"permute", 5, writePermute});
  productions.push_back({"cat", 4, writeCat});
  productions.push_back({"extract", 4, writeExtract});
  productions.push_back({"insert", 4, writeInsert});
  productions.push_back({"assume", 3, writeAssume});
}

} // namespace tilewright::programs
