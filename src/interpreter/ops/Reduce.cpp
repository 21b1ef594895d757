// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of a dimension. The function runs on scalars. A line is halved again and again, so that sums of many narrow
// floats keep their precision, as they do on targets, which fold lanes and threads apart. Every line has an element: no
// identity is taken in. Elements of one line are those that differ in the folded dimension alone.
#include "interpreter/Handlers.h"
#include "interpreter/Walk.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

// One number per operand.
using Numbers = llvm::SmallVector<Bits, 2>;

template <typename Op> class Fold {
public:
  Fold(Op op, Context &context) : op(op), context(context) {
    for (mlir::Value operand : op.getOperands())
      sources.push_back(&context.tile(operand));
    const Tile &first = *sources.front();
    lineLength = first.shape[op.getDim()];
    stride = rowMajorStrides(first.shape)[op.getDim()];
  }

  int64_t length() const { return lineLength; }
  // Number of lines, and where one begins in the operands.
  int64_t lines() const { return sources.front()->size() / lineLength; }
  int64_t element(int64_t line, int64_t i) const {
    return line / stride * stride * lineLength + line % stride + i * stride;
  }
  Numbers numbers(int64_t element) const {
    return Numbers(llvm::map_range(sources, [&](const Tile *source) { return source->bits[element]; }));
  }

  llvm::Error combine(llvm::ArrayRef<Bits> left, llvm::ArrayRef<Bits> right, Numbers &result) {
    Block &body = op.getBody().front();
    for (auto [i, source] : llvm::enumerate(sources)) {
      context.set(body.getArgument(2 * i), Tile::scalar(source->element, left[i]));
      context.set(body.getArgument(2 * i + 1), Tile::scalar(source->element, right[i]));
    }
    if (llvm::Error error = context.run(op.getBody()))
      return error;
    Exit exit = context.takeExit();
    result.clear();
    for (const auto &value : exit.values)
      result.push_back(std::get<Tile>(value).scalarBits());
    return llvm::Error::success();
  }

  std::vector<Tile> makeResults() const {
    std::vector<Tile> tiles;
    for (mlir::Value result : op.getResults())
      tiles.emplace_back(llvm::cast<cuda_tile::TileType>(result.getType()));
    return tiles;
  }
  llvm::Error setResults(std::vector<Tile> tiles) {
    for (auto [result, tile] : llvm::zip_equal(op.getResults(), tiles))
      context.set(result, std::move(tile));
    return llvm::Error::success();
  }

private:
  mutable Op op;
  Context &context;
  llvm::SmallVector<const Tile *> sources;
  int64_t lineLength, stride;
};

// Folds the numbers into the first of them.
template <typename Op> llvm::Error foldAll(Fold<Op> &fold, llvm::MutableArrayRef<Numbers> line) {
  for (size_t step = 1; step < line.size(); step *= 2)
    for (size_t i = 0; i + step < line.size(); i += 2 * step)
      if (llvm::Error error = fold.combine(line[i], line[i + step], line[i]))
        return error;
  return llvm::Error::success();
}

// Each number becomes what those up to it come to.
template <typename Op> llvm::Error scanAll(Fold<Op> &fold, llvm::MutableArrayRef<Numbers> line) {
  for (size_t half = 1; half < line.size(); half *= 2)
    for (size_t i = half; i < line.size(); ++i)
      if (i & half)
        if (llvm::Error error = fold.combine(line[(i & ~(half - 1)) - 1], line[i], line[i]))
          return error;
  return llvm::Error::success();
}

llvm::Error handleReduce(cuda_tile::ReduceOp op, Context &context) {
  Fold<cuda_tile::ReduceOp> fold(op, context);
  std::vector<Tile> results = fold.makeResults();
  std::vector<Numbers> numbers(fold.length());
  for (int64_t line = 0; line < fold.lines(); ++line) {
    for (int64_t i = 0; i < fold.length(); ++i)
      numbers[i] = fold.numbers(fold.element(line, i));
    if (llvm::Error error = foldAll(fold, llvm::MutableArrayRef<Numbers>(numbers)))
      return error;
    for (auto [tile, bits] : llvm::zip_equal(results, numbers.front()))
      tile.bits[line] = bits;
  }
  return fold.setResults(std::move(results));
}

llvm::Error handleScan(cuda_tile::ScanOp op, Context &context) {
  Fold<cuda_tile::ScanOp> fold(op, context);
  std::vector<Tile> results = fold.makeResults();
  std::vector<Numbers> numbers(fold.length());
  for (int64_t line = 0; line < fold.lines(); ++line) {
    auto element = [&](int64_t i) { return fold.element(line, op.getReverse() ? fold.length() - 1 - i : i); };
    for (int64_t i = 0; i < fold.length(); ++i)
      numbers[i] = fold.numbers(element(i));
    if (llvm::Error error = scanAll(fold, llvm::MutableArrayRef<Numbers>(numbers)))
      return error;
    for (int64_t i = 0; i < fold.length(); ++i)
      for (auto [tile, bits] : llvm::zip_equal(results, numbers[i]))
        tile.bits[element(i)] = bits;
  }
  return fold.setResults(std::move(results));
}

} // namespace

void registerReduceOps(HandlerTable &table) {
  table.add<handleReduce>();
  table.add<handleScan>();
}

} // namespace tilewright::interpreter
