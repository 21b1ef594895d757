// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans of what a group holds. The body runs on all lines at once: its arguments are one number for each
// line. One with control flow runs line by line.
#include "gpu_simulator/ops/Elements.h"
#include "interpreter/Walk.h"
#include "tileas/ir/LayoutParts.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

struct Lines {
  int64_t count = 0, length = 0;
  llvm::ArrayRef<int32_t> places; // by line, then along it: in the source
};

// The lines that begin at these elements of the source.
Lines findLines(Operation *op, Actor &actor, const Tile &source, llvm::ArrayRef<int64_t> shape, unsigned dim,
                llvm::function_ref<void(llvm::function_ref<void(int64_t)>)> forEachBegin) {
  std::vector<int32_t> &places = actor.kernel.indicesFor(op, actor.group);
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

// A number of each line, per source.
using Numbers = std::vector<std::vector<Bits>>;

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

  // Combines each line with one of its elements. Part of a scan begins with its first element.
  llvm::Error take(const Lines &lines, int64_t i) {
    if (std::exchange(isFirst, false) && isPartial()) {
      folded = elements(lines, i);
      return llvm::Error::success();
    }
    return combine(folded, elements(lines, i));
  }

  // Folds elements of each line, the halves of them apart, as threads do.
  llvm::Error takeHalves(const Lines &lines, int64_t first, int64_t count, Numbers &into) {
    if (count == 1) {
      into = elements(lines, first);
      return llvm::Error::success();
    }
    Numbers right;
    if (llvm::Error error = takeHalves(lines, first, count / 2, into))
      return error;
    if (llvm::Error error = takeHalves(lines, first + count / 2, count - count / 2, right))
      return error;
    return combine(into, right);
  }

  llvm::SmallVector<Tile> sources;
  Numbers folded;

private:
  bool isPartial() {
    if constexpr (std::is_same_v<Op, tileaa::ScanOp>)
      return op.getKind() == tileaa::ScanKind::Partial;
    return false;
  }

  Numbers elements(const Lines &lines, int64_t i) {
    Numbers numbers;
    for (const Tile &source : sources) {
      std::vector<Bits> &ofLines = numbers.emplace_back(lines.count);
      for (int64_t line = 0; line != lines.count; ++line)
        ofLines[line] = (*source.bits)[lines.places[line * lines.length + i]];
    }
    return numbers;
  }

  // acc = acc with next, all lines at a time where the function has no branches.
  llvm::Error combine(Numbers &acc, const Numbers &next) {
    int64_t count = acc.front().size(), together = isStraight ? count : 1;
    Block &body = op.getBody().front();
    for (int64_t first = 0; first != count; first += together) {
      auto part = [&](const std::vector<Bits> &numbers) {
        return std::vector<Bits>(numbers.begin() + first, numbers.begin() + first + together);
      };
      for (auto [number, source] : llvm::enumerate(sources)) {
        actor.set(body.getArgument(2 * number), Tile(source.element, nullptr, part(acc[number])));
        actor.set(body.getArgument(2 * number + 1), Tile(source.element, nullptr, part(next[number])));
      }
      llvm::SmallVector<Tile> yielded;
      if (llvm::Error error = actor.runBody(op.getBody(), yielded))
        return error;
      for (auto [numbers, tile] : llvm::zip_equal(acc, yielded))
        for (int64_t line = 0; line != together; ++line)
          numbers[first + line] = tile.at(line);
    }
    return llvm::Error::success();
  }

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
  Numbers folded(fold.sources.size());
  if (lines.count)
    if (llvm::Error error = fold.takeHalves(lines, 0, lines.length, folded))
      return error;
  for (auto [result, source, numbers] : llvm::zip_equal(op->getResults(), fold.sources, folded))
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
  bool isExclusive = op.getKind() == tileaa::ScanKind::Exclusive;
  Numbers results(fold.sources.size(), std::vector<Bits>(holding->size()));
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

void simulator::registerFoldOps(HandlerTable &table) {
  table.on<tileaa::ReduceOp>(reduce);
  table.on<tileaa::ScanOp>(scan);
}
