// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans of what a group holds. The body runs on all lines at once: its arguments are one number for each
// line. One with control flow runs line by line.
#include "interpreter/Walk.h"
#include "interpreter/plans/ops/Elements.h"
#include "tileas/ir/LayoutParts.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::plans;

namespace {

struct Lines {
  int64_t count = 0, length = 0;
  llvm::ArrayRef<int32_t> places; // by line, then along it: in the source
};

// The lines that begin at these elements of the source.
Lines findLines(Operation *op, Actor &actor, const Tile &source, llvm::ArrayRef<int64_t> shape, unsigned dim,
                llvm::function_ref<void(llvm::function_ref<void(int64_t)>)> forEachBegin) {
  std::vector<int32_t> &places = actor.plan.indicesFor(op, actor.group);
  int64_t stride = interpreter::rowMajorStrides(shape)[dim], length = shape[dim];
  if (places.empty())
    forEachBegin([&](int64_t begin) {
      for (int64_t i = 0; i != length; ++i) {
        int64_t element = begin + i * stride;
        if (!source.holding->holds(element))
          actor.refuse("combines element " + llvm::Twine(element) + ", which " + actor.name() +
                       " cannot have: expected a layout whose lines end within a warp");
        places.push_back(std::max(source.holding->places[element], 0));
      }
    });
  return {int64_t(places.size()) / length, length, places};
}

// What a fold holds for each line: one list of numbers per source.
template <typename Op> class Fold {
public:
  Fold(Op op, Actor &actor) : op(op), actor(actor) {
    for (mlir::Value source : op.getSources())
      sources.push_back(actor.tile(source));
    op.getBody().walk([&](Operation *inner) { isStraight &= inner->getNumRegions() == 0; });
  }

  void begin(int64_t count) {
    folded.clear();
    for (mlir::Value identity : op.getIdentities())
      folded.push_back(std::vector<Bits>(count, actor.tile(identity).bits->front()));
    isFirst = true;
  }

  // Combines each line with one of its elements. A reduction begins with its first element, and so does part of a scan.
  llvm::Error take(const Lines &lines, int64_t i) {
    if (std::exchange(isFirst, false) && (isa<tileaa::ReduceOp>(op) || op->hasAttr(tileas::partialAttr))) {
      for (auto [numbers, source] : llvm::zip_equal(folded, sources))
        for (int64_t line = 0; line != lines.count; ++line)
          numbers[line] = (*source.bits)[lines.places[line * lines.length + i]];
      return llvm::Error::success();
    }
    int64_t together = isStraight ? lines.count : 1;
    for (int64_t first = 0; first != lines.count; first += together) {
      Block &body = op.getBody().front();
      for (auto [number, source] : llvm::enumerate(sources)) {
        std::vector<Bits> acc(folded[number].begin() + first, folded[number].begin() + first + together),
            next(together);
        for (int64_t line = 0; line != together; ++line)
          next[line] = (*source.bits)[lines.places[(first + line) * lines.length + i]];
        actor.set(body.getArgument(2 * number), Tile(source.element, nullptr, std::move(acc)));
        actor.set(body.getArgument(2 * number + 1), Tile(source.element, nullptr, std::move(next)));
      }
      llvm::SmallVector<Tile> yielded;
      if (llvm::Error error = actor.runBody(op.getBody(), yielded))
        return error;
      for (auto [numbers, tile] : llvm::zip_equal(folded, yielded))
        for (int64_t line = 0; line != together; ++line)
          numbers[first + line] = tile.at(line);
    }
    return llvm::Error::success();
  }

  llvm::SmallVector<Tile> sources;
  std::vector<std::vector<Bits>> folded;

private:
  Op op;
  Actor &actor;
  bool isStraight = true, isFirst = true;
};

llvm::Error reduce(tileaa::ReduceOp op, Actor &actor) {
  Fold<tileaa::ReduceOp> fold(op, actor);
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  const Holding *holding = actor.holdingOf(op->getResult(0).getType());
  int64_t stride = interpreter::rowMajorStrides(type.getShape())[op.getDim()], length = type.getShape()[op.getDim()];
  Lines lines = findLines(op, actor, fold.sources[0], type.getShape(), op.getDim(), [&](auto visit) {
    if (!holding && actor.group.count)
      visit(0);
    for (uint32_t element : holding ? llvm::ArrayRef<uint32_t>(holding->elements) : llvm::ArrayRef<uint32_t>())
      visit(element / stride * stride * length + element % stride);
  });
  fold.begin(lines.count);
  for (int64_t i = 0; lines.count && i != lines.length; ++i)
    if (llvm::Error error = fold.take(lines, i))
      return error;
  for (auto [result, source, numbers] : llvm::zip_equal(op->getResults(), fold.sources, fold.folded))
    actor.set(result, Tile(source.element, holding, std::move(numbers)));
  return llvm::Error::success();
}

llvm::Error scan(tileaa::ScanOp op, Actor &actor) {
  Fold<tileaa::ScanOp> fold(op, actor);
  auto type = cast<RankedTensorType>(op.getSources()[0].getType());
  const Holding *holding = fold.sources[0].holding;
  int64_t stride = interpreter::rowMajorStrides(type.getShape())[op.getDim()], length = type.getShape()[op.getDim()];
  Lines lines = findLines(op, actor, fold.sources[0], type.getShape(), op.getDim(), [&](auto visit) {
    for (uint32_t element : holding->elements)
      if (element / stride % length == 0)
        visit(element);
  });
  bool isExclusive = op->hasAttr(tileas::exclusiveAttr);
  std::vector<std::vector<Bits>> results(fold.sources.size(), std::vector<Bits>(holding->size()));
  auto keep = [&](int64_t i) {
    for (auto [numbers, folded] : llvm::zip_equal(results, fold.folded))
      for (int64_t line = 0; line != lines.count; ++line)
        numbers[lines.places[line * lines.length + i]] = folded[line];
  };
  fold.begin(lines.count);
  for (int64_t step = 0; lines.count && step != lines.length; ++step) {
    int64_t i = op.getReverse() ? lines.length - 1 - step : step;
    if (isExclusive)
      keep(i);
    if (llvm::Error error = fold.take(lines, i))
      return error;
    if (!isExclusive)
      keep(i);
  }
  for (auto [result, source, numbers] : llvm::zip_equal(op->getResults(), fold.sources, results))
    actor.set(result, Tile(source.element, holding, std::move(numbers)));
  return llvm::Error::success();
}

} // namespace

void plans::registerFoldOps(HandlerTable &table) {
  table.on<tileaa::ReduceOp>(reduce);
  table.on<tileaa::ScanOp>(scan);
}
