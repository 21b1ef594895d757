// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: products and sums in double in the order of k, starting from the accumulator, rounded once to its
// type; of f64 by fma. Integers wrap.
#include "interpreter/FloatFormat.h"
#include "interpreter/ops/Elementwise.h"
#include <cmath>

using namespace tilewright::cuda_tile;
using llvm::Error;

#pragma clang fp contract(off)

namespace tilewright::interpreter {

namespace {

/// batch x M x K times batch x K x N; one batch for tiles of rank 2.
struct Extents {
  int64_t batch, m, n, k;

  Extents(const Tile &lhs, const Tile &acc)
      : batch(acc.shape.size() == 3 ? acc.shape[0] : 1), m(acc.shape[acc.shape.size() - 2]), n(acc.shape.back()),
        k(lhs.shape.back()) {}
};

} // namespace

/// Adds the product to `sums` by step(sum, left, right), row by row: the inner loop runs over columns, so that each sum
/// still goes in the order of k.
template <typename T, typename Function>
static void multiply(const Extents &extents, const std::vector<T> &lhs, const std::vector<T> &rhs, std::vector<T> &sums,
                     Function step) {
  for (int64_t row = 0; row < extents.batch * extents.m; ++row) {
    T *sum = &sums[row * extents.n];
    const T *matrix = &rhs[row / extents.m * extents.k * extents.n];
    for (int64_t k = 0; k < extents.k; ++k) {
      T left = lhs[row * extents.k + k];
      for (int64_t column = 0; column < extents.n; ++column) {
        sum[column] = step(sum[column], left, matrix[k * extents.n + column]);
      }
    }
  }
}

static std::vector<double> decode(const Tile &tile) {
  const FloatFormat &format = formatOf(tile.element);
  std::vector<double> numbers(tile.size());
  llvm::transform(tile.bits, numbers.begin(), [&](Bits bits) { return format.decode(bits); });
  return numbers;
}

template <typename Op>
static Error multiplyFloats(Op op, Context &context, const std::vector<double> &lhs, const std::vector<double> &rhs) {
  const Tile &acc = context.tile(op.getAcc());
  Extents extents(context.tile(op.getLhs()), acc);
  std::vector<double> sums = decode(acc);
  if (acc.element == Element::F64) {
    multiply(extents, lhs, rhs, sums, [](double sum, double left, double right) { return std::fma(left, right, sum); });
  } else {
    multiply(extents, lhs, rhs, sums, [](double sum, double left, double right) { return sum + left * right; });
  }
  const FloatFormat &format = formatOf(acc.element);
  return setElements(context, op.getResult(), [&](int64_t i) { return format.encode(sums[i]); });
}

static Error handleMmaF(MmaFOp op, Context &context) {
  return multiplyFloats(op, context, decode(context.tile(op.getLhs())), decode(context.tile(op.getRhs())));
}

static Error handleMmaI(MmaIOp op, Context &context) {
  auto read = [](const Tile &tile, Signedness signedness) {
    std::vector<uint32_t> numbers(tile.size());
    llvm::transform(tile.bits, numbers.begin(), [&](Bits bits) {
      return static_cast<uint32_t>(signedness == Signedness::Signed ? signExtend(bits, tile.element) : bits);
    });
    return numbers;
  };
  const Tile &lhs = context.tile(op.getLhs()), &acc = context.tile(op.getAcc());
  std::vector<uint32_t> sums = read(acc, Signedness::Signed);
  multiply(Extents(lhs, acc), read(lhs, op.getSignednessLhs()), read(context.tile(op.getRhs()), op.getSignednessRhs()),
           sums, [](uint32_t sum, uint32_t left, uint32_t right) { return sum + left * right; });
  return setElements(context, op.getResult(), [&](int64_t i) { return sums[i]; });
}

/// A scale of rhs covers elements along K of one column, where K is the last but one dimension.
static std::vector<double> scale(const Tile &tile, const Tile &scales, bool isRhs) {
  std::vector<double> numbers = decode(tile), factors = decode(scales);
  size_t last = tile.shape.size() - 1;
  int64_t columns = isRhs ? tile.shape[last] : 1, depth = tile.shape[isRhs ? last - 1 : last];
  int64_t groups = scales.shape[isRhs ? last - 1 : last];
  for (int64_t i = 0, size = tile.size(); i < size; ++i) {
    int64_t column = i % columns, k = i / columns % depth, matrix = i / columns / depth;
    numbers[i] *= factors[(matrix * groups + k * groups / depth) * columns + column];
  }
  return numbers;
}

static Error handleMmaFScaled(MmaFScaledOp op, Context &context) {
  const Tile &lhsScale = context.tile(op.getLhsScale()), &rhsScale = context.tile(op.getRhsScale());
  for (const Tile *scales : {&lhsScale, &rhsScale}) {
    const FloatFormat &format = formatOf(scales->element);
    if (context.monitor && llvm::any_of(scales->bits, [&](Bits bits) { return format.decode(bits) < 0; })) {
      context.violated(op, Violation::Arithmetic, "a negative scale");
    }
  }
  return multiplyFloats(op, context, scale(context.tile(op.getLhs()), lhsScale, /*isRhs=*/false),
                        scale(context.tile(op.getRhs()), rhsScale, /*isRhs=*/true));
}

void registerMmaOps(HandlerTable &table) {
  table.add<handleMmaF>();
  table.add<handleMmaI>();
  table.add<handleMmaFScaled>();
}

} // namespace tilewright::interpreter
