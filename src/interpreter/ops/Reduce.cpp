// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds of a dimension. The function runs on scalars, one element after the other from the identity on; elements of
// one line are those that differ in the folded dimension alone.
#include "interpreter/Constants.h"
#include "interpreter/Handlers.h"
#include "interpreter/Walk.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

// What a fold holds after each element of a line: one number per operand.
template <typename Op> class Fold {
public:
  Fold(Op op, Context &context) : op(op), context(context) {
    for (auto [operand, identity] : llvm::zip_equal(op.getOperands(), op.getIdentities())) {
      sources.push_back(&context.tile(operand));
      identities.push_back(constantBits(identity, sources.back()->element));
    }
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

  void begin() { folded = identities; }
  llvm::Error take(int64_t element) {
    Block &body = op.getBody().front();
    for (auto [i, source] : llvm::enumerate(sources)) {
      context.set(body.getArgument(2 * i), Tile::scalar(source->element, folded[i]));
      context.set(body.getArgument(2 * i + 1), Tile::scalar(source->element, source->bits[element]));
    }
    if (llvm::Error error = context.run(op.getBody()))
      return error;
    Exit exit = context.takeExit();
    for (auto [bits, value] : llvm::zip_equal(folded, exit.values))
      bits = std::get<Tile>(value).scalarBits();
    return llvm::Error::success();
  }
  llvm::ArrayRef<Bits> result() const { return folded; }

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
  llvm::SmallVector<Bits> identities, folded;
  int64_t lineLength, stride;
};

llvm::Error handleReduce(cuda_tile::ReduceOp op, Context &context) {
  Fold<cuda_tile::ReduceOp> fold(op, context);
  std::vector<Tile> results = fold.makeResults();
  for (int64_t line = 0; line < fold.lines(); ++line) {
    fold.begin();
    for (int64_t i = 0; i < fold.length(); ++i)
      if (llvm::Error error = fold.take(fold.element(line, i)))
        return error;
    for (auto [tile, bits] : llvm::zip_equal(results, fold.result()))
      tile.bits[line] = bits;
  }
  return fold.setResults(std::move(results));
}

llvm::Error handleScan(cuda_tile::ScanOp op, Context &context) {
  Fold<cuda_tile::ScanOp> fold(op, context);
  std::vector<Tile> results = fold.makeResults();
  for (int64_t line = 0; line < fold.lines(); ++line) {
    fold.begin();
    for (int64_t i = 0; i < fold.length(); ++i) {
      int64_t element = fold.element(line, op.getReverse() ? fold.length() - 1 - i : i);
      if (llvm::Error error = fold.take(element))
        return error;
      for (auto [tile, bits] : llvm::zip_equal(results, fold.result()))
        tile.bits[element] = bits;
    }
  }
  return fold.setResults(std::move(results));
}

} // namespace

void registerReduceOps(HandlerTable &table) {
  table.add<handleReduce>();
  table.add<handleScan>();
}

} // namespace tilewright::interpreter
