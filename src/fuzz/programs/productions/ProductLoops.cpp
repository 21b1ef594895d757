// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products as kernels have them: tiles of a result, one after another in a loop of the block's or one for each block,
// and in a loop over K their sums. Operands are boxes of arrays of rank two and three, in any order of dimensions,
// reshaped and transposed on the way; a second product takes what the first gave. Numbers are small integers, so that
// sums are exact in any order.
#include "fuzz/programs/productions/Productions.h"
#include "fuzz/programs/productions/Views.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

constexpr int64_t mostOfElement = 4; // the magnitude of operands

struct Types {
  Element stored, operand, acc;
};
constexpr Types allTypes[] = {
    {Element::F16, Element::F16, Element::F32},       {Element::BF16, Element::BF16, Element::F32},
    {Element::F16, Element::F16, Element::F16},       {Element::F32, Element::TF32, Element::F32},
    {Element::F32, Element::F32, Element::F32},       {Element::F64, Element::F64, Element::F64},
    {Element::I8, Element::I8, Element::I32},         {Element::F8E4M3FN, Element::F8E4M3FN, Element::F32},
    {Element::F8E5M2, Element::F8E5M2, Element::F32},
};

// How the tile of an operand, (rows, columns), comes from the view of its array.
enum class Way {
  AsItLies,
  ByOrder, // the array is transposed, the view turns it back
  ReshapedThenTurned,
  TurnedThenReshaped,
};

struct Operand {
  Value view;
  Way way;
  bool isBatched; // the array has a batch
  Element element;
  Shape tile; // of a load
};

// Extents of the tiles, how many there are along each dimension, and how products are made of them.
struct Choices {
  Types types;
  int64_t m, n, k;
  int64_t rows, columns, steps, batch; // tiles; rows, columns and batch are powers of two
  bool isBatched, isPersistent;
  bool multipliesBatch; // products of rank three
  bool isChained;
  int64_t width; // of the second product's result, which is (width, n)
};

class ProductLoops {
public:
  ProductLoops(Body &body, Choices chosen) : body(body), random(body.random), chosen(std::move(chosen)) {}

  void write() {
    // A loop without iterations has arrays, too.
    int64_t steps = std::max<int64_t>(1, chosen.steps);
    lhs = operand(chosen.m, chosen.k, chosen.rows, steps);
    rhs = operand(chosen.k, chosen.n, steps, chosen.columns);
    if (chosen.isChained)
      // (width, m) of the keys of a step; the first product is that of all of K.
      values = operand(chosen.width, chosen.m, 1, chosen.rows);
    makeResults();
    Value total = number(chosen.batch * (chosen.isChained ? 1 : chosen.rows) * chosen.columns);
    if (chosen.isPersistent) {
      forLoop(body.block, total, number(body.numBlocks), {}, [&](Value tile, ValueRange) {
        writeTile(tile);
        return SmallVector<Value>();
      });
      return;
    }
    Value isOne = body.compare(ct::ComparisonPredicate::LessThan, ct::Signedness::Signed, body.block, total);
    Operation *branch = body.op("if", isOne, {}, {}, 2);
    Scope scope(body);
    body.builder.createBlock(&branch->getRegion(0));
    writeTile(body.block);
    body.op("yield", {}, {});
  }

private:
  ct::TileType scalar() { return body.tile({}, Element::I32); }
  Value number(int64_t value) { return body.splat(scalar(), value); }
  // Known when the program runs, or before.
  Value someNumber(int64_t value) { return random.chance(50) ? body.argument(Element::I32, value) : number(value); }
  Value divisible(Value value, uint64_t divisor) {
    return body.make(
        "assume", value, value.getType(),
        body.attribute("predicate", ct::DivByAttr::get(body.context, divisor, std::nullopt, std::nullopt)));
  }

  Value buffer(Element element, int64_t count, Contents contents) {
    Value pointer = body.addBuffer(element, count, contents);
    // Multiples of eight elements from a multiple of 64 bytes on: arguments' places follow from their seeds.
    body.program.launch.parameters.back().seed &= ~uint64_t(7);
    return random.chance(20) ? pointer : divisible(pointer, 16);
  }

  // An array of (batch,) rows and columns, its view with tiles of that shape and order.
  Value view(Element element, ArrayRef<int64_t> extents, ArrayRef<int64_t> tile, ArrayRef<int32_t> order,
             Contents contents, bool isClipped) {
    Shape shape(extents), strides(extents.size(), 1);
    bool isAligned = random.chance(75);
    for (size_t dim = extents.size() - 1; dim-- > 0;)
      strides[dim] = strides[dim + 1] * (isAligned ? llvm::alignTo(extents[dim + 1], 16) : extents[dim + 1]);
    SmallVector<Value> operands = {buffer(element, strides[0] * extents[0], contents)};
    Shape *all[] = {&shape, &strides};
    int32_t hidden[] = {0, 0};
    for (auto [kind, numbers] : llvm::enumerate(all))
      for (int64_t &value : *numbers) {
        if (value == 1 || !random.chance(60))
          continue;
        Value known = body.argument(Element::I32, value);
        operands.push_back(value % 16 == 0 ? divisible(known, 16) : known);
        value = ShapedType::kDynamic;
        ++hidden[kind];
      }
    auto type = ct::TensorViewType::get(body.type(element), shape, strides);
    Value tensor =
        body.make("make_tensor_view", operands, type,
                  body.attribute("operandSegmentSizes", body.builder.getDenseI32ArrayAttr({1, hidden[0], hidden[1]})));
    ct::PaddingValueAttr padding;
    if (isClipped || random.chance(30))
      padding = ct::PaddingValueAttr::get(body.context, setOf(element) & floats && random.chance(10)
                                                            ? ct::PaddingValue::neg_zero
                                                            : ct::PaddingValue::zero);
    return body.make("make_partition_view", tensor,
                     ct::PartitionViewType::get(body.context, SmallVector<int32_t>(tile), type, order, padding));
  }

  Operand operand(int64_t rows, int64_t columns, int64_t tilesDown, int64_t tilesAcross) {
    Operand one;
    one.isBatched = chosen.isBatched;
    one.element = chosen.types.operand;
    one.way = random.pick({Way::AsItLies, Way::ByOrder, Way::ReshapedThenTurned, Way::TurnedThenReshaped});
    if (chosen.multipliesBatch && one.way == Way::ReshapedThenTurned)
      one.way = Way::TurnedThenReshaped;
    bool isClipped = random.chance(30);
    int64_t down = rows * tilesDown, across = columns * tilesAcross;
    if (isClipped)
      down -= random.below(rows), across -= random.below(columns);
    Shape extents{down, across}, tile{rows, columns};
    SmallVector<int32_t> order{0, 1};
    if (one.way != Way::AsItLies)
      std::swap(extents[0], extents[1]);
    if (one.way == Way::ByOrder)
      order = {1, 0};
    else if (one.way != Way::AsItLies)
      std::swap(tile[0], tile[1]);
    if (one.isBatched) {
      extents.insert(extents.begin(), chosen.batch * (chosen.multipliesBatch ? 2 : 1));
      tile.insert(tile.begin(), chosen.multipliesBatch ? 2 : 1);
      order = {0, order[0] + 1, order[1] + 1};
    }
    one.tile = tile;
    one.view = view(chosen.types.stored, extents, tile, order, Contents::Small, isClipped);
    return one;
  }

  Value turned(Value tile) {
    auto type = cast<ct::TileType>(tile.getType());
    Shape shape(type.getShape());
    int32_t rank = shape.size();
    SmallVector<int32_t> order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    std::swap(order[rank - 1], order[rank - 2]);
    std::swap(shape[rank - 1], shape[rank - 2]);
    return body.make("permute", tile, ct::TileType::get(shape, type.getElementType()),
                     body.attribute("permutation", body.builder.getDenseI32ArrayAttr(order)));
  }
  Value withoutBatch(Value tile) {
    auto type = cast<ct::TileType>(tile.getType());
    if (type.getRank() == 2 || chosen.multipliesBatch)
      return tile;
    return body.make("reshape", tile, ct::TileType::get(type.getShape().drop_front(), type.getElementType()));
  }

  Value load(const Operand &one, Value batch, Value row, Value column) {
    ViewPlace place;
    place.index = {row, column};
    if (one.way == Way::ReshapedThenTurned || one.way == Way::TurnedThenReshaped)
      std::swap(place.index[0], place.index[1]);
    if (one.isBatched)
      place.index.insert(place.index.begin(), batch);
    SmallVector<Value> operands = {one.view};
    llvm::append_range(operands, place.index);
    Operation *loaded =
        body.op("load_view_tko", operands, {body.tile(one.tile, chosen.types.stored), body.token()},
                accessAttributes(body, place, {ct::MemoryOrderingSemantics::WEAK, std::nullopt}, false, false));
    Value tile = loaded->getResult(0);
    switch (one.way) {
    case Way::AsItLies:
    case Way::ByOrder:
      tile = withoutBatch(tile);
      break;
    case Way::ReshapedThenTurned:
      tile = turned(withoutBatch(tile));
      break;
    case Way::TurnedThenReshaped:
      tile = withoutBatch(turned(tile));
      break;
    }
    return body.convert(tile, one.element);
  }

  Value zeros(ArrayRef<int64_t> shape) {
    ct::TileType type = body.tile(shape, chosen.types.acc);
    return isFloat(chosen.types.acc) ? body.splatFloat(type, 0) : body.splat(type, 0);
  }
  Value multiply(Value lhs, Value rhs, Value acc) {
    if (isFloat(chosen.types.acc))
      return body.make("mmaf", {lhs, rhs, acc}, acc.getType());
    auto sign = [&](StringRef name) { return body.enumAttribute<ct::SignednessAttr>(name, ct::Signedness::Signed); };
    return body.make("mmai", {lhs, rhs, acc}, acc.getType(), {sign("signedness_lhs"), sign("signedness_rhs")});
  }
  // Sums as operands of another product.
  Value clamped(Value sums) {
    auto type = cast<ct::TileType>(sums.getType());
    if (isFloat(chosen.types.acc)) {
      sums = body.binary("maxf", sums, body.splatFloat(type, -mostOfElement));
      return body.convert(body.binary("minf", sums, body.splatFloat(type, mostOfElement)), chosen.types.operand);
    }
    auto within = [&](StringRef mnemonic, int64_t bound) {
      sums = body.make(mnemonic, {sums, body.splat(type, bound)}, type,
                       body.enumAttribute<ct::SignednessAttr>("signedness", ct::Signedness::Signed));
    };
    within("maxi", -mostOfElement);
    within("mini", mostOfElement);
    return body.convert(sums, chosen.types.operand);
  }

  template <typename Write>
  SmallVector<Value> forLoop(Value lower, Value upper, Value step, ArrayRef<Value> inits, Write write) {
    SmallVector<Value> operands = {lower, upper, step};
    llvm::append_range(operands, inits);
    SmallVector<Type> carried = llvm::map_to_vector(inits, [](Value init) { return init.getType(); });
    Operation *loop = body.op("for", operands, carried, {}, 1);
    Scope scope(body);
    SmallVector<Type> types = {lower.getType()};
    llvm::append_range(types, carried);
    SmallVector<Location> locations(types.size(), body.builder.getUnknownLoc());
    Block *block = body.builder.createBlock(&loop->getRegion(0), {}, types, locations);
    body.op("continue", write(block->getArgument(0), block->getArguments().drop_front()), {});
    return llvm::to_vector_of<Value>(loop->getResults());
  }

  // A sum that is looked at in each iteration, too, as attention's is.
  Value looked(Value sums) {
    return looksAtSums && isFloat(chosen.types.acc) ? body.make("negf", sums, sums.getType()) : sums;
  }

  Shape sumsShape() {
    Shape shape{chosen.isChained ? chosen.width : chosen.m, chosen.n};
    if (chosen.multipliesBatch)
      shape.insert(shape.begin(), 2);
    return shape;
  }

  // Tile number `tile` of the result, of all batches.
  void writeTile(Value tile) {
    auto part = [&](int64_t count) {
      Value rest = body.binary("andi", tile, number(count - 1));
      tile = body.make("shri", {tile, number(llvm::Log2_64(count))}, scalar(),
                       body.enumAttribute<ct::SignednessAttr>("signedness", ct::Signedness::Unsigned));
      return rest;
    };
    Value column = part(chosen.columns), row = chosen.isChained ? number(0) : part(chosen.rows),
          batch = part(chosen.batch);
    looksAtSums = random.chance(20);
    SmallVector<Value> sums;
    if (chosen.isChained) {
      Value right = load(rhs, batch, number(0), column);
      bool addsTwice = random.chance(40);
      sums =
          forLoop(number(0), someNumber(chosen.rows), number(1), {zeros(sumsShape())}, [&](Value step, ValueRange acc) {
            Value first = multiply(load(lhs, batch, step, number(0)), right, zeros({chosen.m, chosen.n}));
            if (addsTwice)
              first = multiply(load(lhs, batch, step, number(0)), right, first);
            Value second = load(values, batch, number(0), step);
            return SmallVector<Value>{multiply(second, clamped(first), looked(acc[0]))};
          });
    } else {
      sums = forLoop(number(0), someNumber(chosen.steps), number(1), {zeros(sumsShape())},
                     [&](Value step, ValueRange acc) {
                       Value left = load(lhs, batch, row, step), right = load(rhs, batch, step, column);
                       return SmallVector<Value>{multiply(left, right, looked(acc[0]))};
                     });
    }
    store(sums[0], batch, row, column);
  }

  void makeResults() {
    Shape tile = sumsShape(),
          extents{tile[tile.size() - 2] * (chosen.isChained ? 1 : chosen.rows), chosen.n * chosen.columns};
    SmallVector<int32_t> order{0, 1};
    resultElement =
        chosen.types.acc == Element::F32 ? random.pick({Element::F16, Element::BF16, Element::F32}) : chosen.types.acc;
    if (random.chance(30)) {
      order = {1, 0};
      std::swap(extents[0], extents[1]);
    }
    if (chosen.isBatched) {
      extents.insert(extents.begin(), chosen.batch * (chosen.multipliesBatch ? 2 : 1));
      if (!chosen.multipliesBatch)
        tile.insert(tile.begin(), 1);
      order = {0, order[0] + 1, order[1] + 1};
    }
    results = view(resultElement, extents, tile, order, Contents::Zero, /*isClipped=*/false);
  }

  void store(Value sums, Value batch, Value row, Value column) {
    Value tile = body.convert(sums, resultElement);
    auto type = cast<ct::TileType>(tile.getType());
    ViewPlace place;
    place.index = {row, column};
    if (chosen.isBatched) {
      place.index.insert(place.index.begin(), batch);
      if (!chosen.multipliesBatch) {
        Shape shape(type.getShape());
        shape.insert(shape.begin(), 1);
        tile = body.make("reshape", tile, ct::TileType::get(shape, type.getElementType()));
      }
    }
    SmallVector<Value> operands = {tile, results};
    llvm::append_range(operands, place.index);
    body.make("store_view_tko", operands, body.token(),
              accessAttributes(body, place, {ct::MemoryOrderingSemantics::WEAK, std::nullopt}, true, false));
  }

  Body &body;
  Random &random;
  Choices chosen;
  Operand lhs, rhs, values;
  Value results;
  Element resultElement = Element::F32;
  bool looksAtSums = false;
};

Choices someChoices(Body &body) {
  Random &random = body.random;
  Choices chosen{};
  SmallVector<Types> known;
  for (Types types : allTypes)
    if (random.chance(30) || llvm::is_contained(body.elements, types.operand))
      known.push_back(types);
  chosen.types = known.empty() ? allTypes[0] : random.pick(known);
  auto extent = [&] {
    return body.hasLargeTiles ? random.pick<int64_t>({16, 64, 128, 128, 256, 256})
                              : random.pick<int64_t>({8, 16, 32, 64});
  };
  chosen.m = extent(), chosen.n = extent();
  chosen.k = body.hasLargeTiles ? random.pick<int64_t>({16, 32, 64, 64, 128}) : random.pick<int64_t>({8, 16, 32});
  chosen.rows = random.pick({1, 2}), chosen.columns = random.pick({1, 2}), chosen.steps = random.between(0, 3);
  chosen.isBatched = random.chance(60);
  chosen.batch = chosen.isBatched ? random.pick({1, 2}) : 1;
  chosen.isPersistent = random.chance(60);
  chosen.multipliesBatch = chosen.isBatched && random.chance(20);
  chosen.isChained = !chosen.multipliesBatch && random.chance(35);
  if (chosen.isChained) {
    chosen.steps = 1;
    chosen.width = body.hasLargeTiles ? random.pick<int64_t>({64, 128, 512}) : random.pick<int64_t>({16, 32});
    if (chosen.width == 512)
      chosen.n = 16;
  }
  // Numbers of f16 are exact up to 2048, and its sums are of products of at most 16.
  if (chosen.types.acc == Element::F16 && std::max(chosen.k * chosen.steps, chosen.m * chosen.rows) > 128)
    chosen.types.acc = Element::F32;
  return chosen;
}

} // namespace

bool writeProductLoops(Body &body) {
  if (body.depth)
    return false;
  int budget = body.budget;
  ProductLoops(body, someChoices(body)).write();
  body.budget = budget - 12; // as many as what else is of its size
  return true;
}

} // namespace tilewright::programs
