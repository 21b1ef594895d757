// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/Undefined.h"

#include "interpreter/Handlers.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

using llvm::BitVector;

Tile *tileOf(mlir::Value value, Context &context) {
  return std::get_if<Tile>(&context.frame.get(value));
}

bool isUndefined(const Tile &tile, int64_t element) {
  return tile.undefined && tile.undefined->elements[element];
}

// Where the undefined elements of an operation's operands come from.
Operation *originOf(Operation *op, Context &context) {
  for (mlir::Value operand : op->getOperands())
    if (const Tile *tile = findUndefined(operand, context))
      return tile->undefined->origin;
  return op;
}

// Operations that move elements without reading them move the marks the same way: the operation runs once more over
// ones and zeros. `moved` are the operands that have the elements, as opposed to indices.
BitVector movedBy(Operation *op, ValueRange moved, Context &context) {
  llvm::SmallDenseMap<mlir::Value, Tile> saved;
  for (mlir::Value operand : moved) {
    auto [place, isNew] = saved.try_emplace(operand);
    if (!isNew)
      continue;
    Tile &tile = context.tile(operand);
    place->second = tile;
    for (int64_t i = 0; i < tile.size(); ++i)
      tile.bits[i] = isUndefined(place->second, i);
  }
  Value result = std::move(context.frame.get(op->getResult(0)));
  llvm::cantFail(handlers().find(op->getName())(op, context));
  const Tile &marks = context.tile(op->getResult(0));
  BitVector elements(marks.size());
  for (int64_t i = 0; i < marks.size(); ++i)
    if (marks.bits[i])
      elements.set(i);
  context.frame.get(op->getResult(0)) = std::move(result);
  for (auto &[operand, tile] : saved)
    context.tile(operand) = std::move(tile);
  return elements;
}

BitVector ofSelect(cuda_tile::SelectOp op, Context &context) {
  const Tile &condition = context.tile(op.getCond());
  const Tile *sides[] = {&context.tile(op.getValIfFalse()), &context.tile(op.getValIfTrue())};
  BitVector elements(sides[0]->size());
  for (int64_t i = 0; i < sides[0]->size(); ++i) {
    int64_t chooser = condition.size() == 1 ? 0 : i;
    if (isUndefined(condition, chooser) || isUndefined(*sides[condition.bits[chooser] != 0], i))
      elements.set(i);
  }
  return elements;
}

// Element i of the result depends on element i of each operand; tiles of one element count for all.
BitVector elementwise(Operation *op, int64_t size, Context &context) {
  BitVector elements(size);
  for (mlir::Value operand : op->getOperands())
    if (const Tile *tile = findUndefined(operand, context)) {
      if (tile->size() == size)
        elements |= tile->undefined->elements;
      else
        elements.set();
    }
  return elements;
}

// A zero makes `and` zero whatever the other side is, ones make `or` ones: how masks are put together.
template <typename Op> BitVector maskedBy(Op op, Context &context, Bits decisive) {
  const Tile *sides[] = {&context.tile(op.getLhs()), &context.tile(op.getRhs())};
  BitVector elements = elementwise(op, sides[0]->size(), context);
  Bits all = llvm::maskTrailingOnes<Bits>(bitWidth(sides[0]->element));
  for (unsigned i : elements.set_bits())
    for (const Tile *side : sides)
      if (!isUndefined(*side, i) && side->bits[i] == (decisive & all))
        elements.reset(i);
  return elements;
}

// A tile seen as outer x extent x inner around one dimension.
struct Lanes {
  int64_t outer = 1, extent = 1, inner = 1;
  Lanes(llvm::ArrayRef<int64_t> shape, int64_t dim) : extent(shape[dim]) {
    for (int64_t size : shape.take_front(dim))
      outer *= size;
    for (int64_t size : shape.drop_front(dim + 1))
      inner *= size;
  }
  int64_t at(int64_t o, int64_t e, int64_t i) const { return (o * extent + e) * inner + i; }
};

BitVector operandsTogether(Operation *op, Context &context) {
  return elementwise(op, context.tile(op->getOperand(0)).size(), context);
}

BitVector ofReduce(cuda_tile::ReduceOp op, Context &context) {
  BitVector source = operandsTogether(op, context);
  Lanes lanes(context.tile(op.getOperands().front()).shape, op.getDim());
  BitVector elements(lanes.outer * lanes.inner);
  for (unsigned i : source.set_bits())
    elements.set(i / (lanes.extent * lanes.inner) * lanes.inner + i % lanes.inner);
  return elements;
}

BitVector ofScan(cuda_tile::ScanOp op, Context &context) {
  BitVector elements = operandsTogether(op, context);
  Lanes lanes(context.tile(op.getOperands().front()).shape, op.getDim());
  for (int64_t o = 0; o < lanes.outer; ++o)
    for (int64_t i = 0; i < lanes.inner; ++i) {
      bool seen = false;
      for (int64_t e = 0; e < lanes.extent; ++e) {
        int64_t at = lanes.at(o, op.getReverse() ? lanes.extent - 1 - e : e, i);
        seen |= elements[at];
        if (seen)
          elements.set(at);
      }
    }
  return elements;
}

// A row of the result needs that row of the left operand and its scales, a column that column of the right ones.
BitVector ofMma(Operation *op, Context &context) {
  const Tile &acc = context.tile(op->getOperand(2));
  int64_t rows = acc.shape[acc.shape.size() - 2], columns = acc.shape.back();
  int64_t batches = acc.size() / (rows * columns);
  BitVector elements(acc.size());
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    const Tile *tile = findUndefined(operand, context);
    if (!tile)
      continue;
    if (number == 2) {
      elements |= tile->undefined->elements;
      continue;
    }
    bool isLeft = number % 2 == (number < 2 ? 0 : 1); // operands 0 and 3
    int64_t width = tile->shape.back(), height = tile->shape[tile->shape.size() - 2];
    for (unsigned i : tile->undefined->elements.set_bits()) {
      int64_t batch = i / (width * height), row = i / width % height, column = i % width;
      for (int64_t k = 0; k < (isLeft ? columns : rows); ++k)
        elements.set((batch % batches * rows + (isLeft ? row : k)) * columns + (isLeft ? k : column));
    }
  }
  return elements;
}

// pack and unpack: so many elements of the longer side lie in one of the shorter.
BitVector regrouped(Operation *op, int64_t size, Context &context) {
  const Tile &source = context.tile(op->getOperand(0));
  BitVector elements(size);
  for (unsigned i : source.undefined->elements.set_bits()) {
    int64_t first = i * size / source.size(), last = ((i + 1) * size - 1) / source.size();
    elements.set(first, std::max(first, last) + 1);
  }
  return elements;
}

BitVector ofResult(Operation *op, Context &context) {
  int64_t size = context.tile(op->getResult(0)).size();
  return llvm::TypeSwitch<Operation *, BitVector>(op)
      .Case([&](cuda_tile::SelectOp select) { return ofSelect(select, context); })
      .Case([&](cuda_tile::AndIOp both) { return maskedBy(both, context, 0); })
      .Case([&](cuda_tile::OrIOp either) { return maskedBy(either, context, ~Bits(0)); })
      .Case<cuda_tile::ReshapeOp, cuda_tile::BroadcastOp, cuda_tile::PermuteOp, cuda_tile::CatOp>(
          [&](Operation *move) { return movedBy(move, move->getOperands(), context); })
      .Case([&](cuda_tile::ExtractOp extract) { return movedBy(extract, extract.getSource(), context); })
      .Case([&](cuda_tile::InsertOp insert) {
        return movedBy(insert, {insert.getSource(), insert.getDestination()}, context);
      })
      .Case([&](cuda_tile::ReduceOp reduce) { return ofReduce(reduce, context); })
      .Case([&](cuda_tile::ScanOp scan) { return ofScan(scan, context); })
      .Case<cuda_tile::MmaFOp, cuda_tile::MmaIOp, cuda_tile::MmaFScaledOp>(
          [&](Operation *mma) { return ofMma(mma, context); })
      .Case<cuda_tile::PackOp, cuda_tile::UnpackOp>([&](Operation *pack) { return regrouped(pack, size, context); })
      .Default([&](Operation *other) { return elementwise(other, size, context); });
}

} // namespace

void markUndefined(Tile &tile, BitVector elements, Operation *origin) {
  tile.undefined =
      elements.none() ? nullptr : std::make_shared<const Undefined>(Undefined{std::move(elements), origin});
}

const Tile *findUndefined(mlir::Value value, Context &context) {
  const Tile *tile = tileOf(value, context);
  return tile && tile->undefined ? tile : nullptr;
}

void propagateUndefined(Operation *op, Context &context) {
  if (op->getNumResults() == 0 || llvm::isa<cuda_tile::IfOp, cuda_tile::ForOp, cuda_tile::LoopOp>(op))
    return;
  bool any = llvm::any_of(op->getOperands(), [&](mlir::Value operand) { return findUndefined(operand, context); });
  BitVector elements;
  if (any && tileOf(op->getResult(0), context))
    elements = ofResult(op, context);
  Operation *origin = any ? originOf(op, context) : nullptr;
  for (mlir::Value result : op->getResults())
    if (Tile *tile = tileOf(result, context)) {
      // A copy of an operand may have copied its marks.
      if (elements.empty())
        tile->undefined = nullptr;
      else
        markUndefined(*tile, elements, origin);
    }
}

} // namespace tilewright::interpreter
