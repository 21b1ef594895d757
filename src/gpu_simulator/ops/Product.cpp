// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products, by the numbers of the interpreter: in double in the order of k, rounded once. A group needs the rows and
// the columns of the results that it holds; of an operand in registers it must hold them, of one in a buffer it reads
// them through the buffer's layout.
#include "gpu_simulator/ops/Product.h"

#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Elements.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

#pragma clang fp contract(off)

namespace {

// Rows and columns, by batch: [batch, row] or [batch, column], as one number.
struct Needed {
  explicit Needed(int64_t count) : numbers(count, -1) {}
  void add(int64_t number) {
    if (numbers[number] < 0)
      numbers[number] = list.size(), list.push_back(number);
  }
  std::vector<int64_t> numbers; // the place in the list, or -1
  std::vector<int64_t> list;
};

llvm::ArrayRef<int64_t> shapeOf(mlir::Value operand) {
  if (auto buffer = dyn_cast<tileas::BufferType>(operand.getType()))
    return buffer.getShape();
  return cast<RankedTensorType>(operand.getType()).getShape();
}

Element elementTypeOf(mlir::Value operand) {
  if (auto buffer = dyn_cast<tileas::BufferType>(operand.getType()))
    return elementOfType(buffer.getElementType());
  return elementOfType(operand.getType());
}

// Gives the bits of an operand's elements, by row-major number.
std::function<Bits(int64_t)> reader(mlir::Value operand, tileas::MmaOp mma, Actor &actor) {
  if (isa<tileas::BufferType>(operand.getType())) {
    uint32_t access = actor.makeAccess(mma, std::get<Buffer>(actor.get(operand)).owner);
    return readerOfBuffer(operand, actor, access, actor.clock);
  }
  const Tile &tile = actor.tile(operand);
  return [&tile, &actor](int64_t element) -> Bits {
    if (!tile.holding->holds(element)) {
      actor.refuse("needs element " + llvm::Twine(element) + " of an operand, which " + actor.name() +
                   " cannot have: expected the operand's layout to be that of the atom");
      return 0;
    }
    return (*tile.bits)[tile.holding->places[element]];
  };
}

// For each needed row all of K, as numbers of type T.
template <typename T, typename Decode>
std::vector<T> gather(const Needed &needed, int64_t depth, int64_t outer, bool isRhs,
                      const std::function<Bits(int64_t)> &read, Decode decode) {
  std::vector<T> numbers(needed.list.size() * depth);
  for (auto [place, number] : llvm::enumerate(needed.list)) {
    int64_t batch = number / outer, inner = number % outer;
    for (int64_t k = 0; k != depth; ++k) {
      int64_t element = isRhs ? (batch * depth + k) * outer + inner : (batch * outer + inner) * depth + k;
      numbers[place * depth + k] = decode(read(element));
    }
  }
  return numbers;
}

} // namespace

std::function<Bits(int64_t)> simulator::readerOfBuffer(mlir::Value operand, Actor &actor, uint32_t access,
                                                       const Clock &past) {
  auto type = cast<tileas::BufferType>(operand.getType());
  int64_t base = std::get<Buffer>(actor.get(operand)).offset;
  llvm::ArrayRef<uint32_t> offsets = actor.kernel.elementOffsets(type);
  unsigned width = interpreter::storageBytes(elementOfType(type.getElementType()));
  return [=, &actor, &past](int64_t element) {
    return actor.block.shared.read(access, past, base + int64_t(offsets[element]) * width, width);
  };
}

std::vector<Bits> simulator::multiplied(const Factors &factors, llvm::ArrayRef<int64_t> shape, Element acc,
                                        llvm::ArrayRef<uint32_t> elements, llvm::ArrayRef<Bits> before) {
  int64_t rank = shape.size(), m = shape[rank - 2], n = shape[rank - 1], depth = shapeOf(factors.lhs)[rank - 1],
          batches = rank == 3 ? shape[0] : 1;
  Needed rows(batches * m), columns(batches * n);
  for (uint32_t element : elements) {
    rows.add(element / n);
    columns.add(element / n / m * n + element % n);
  }
  Element lhs = elementTypeOf(factors.lhs), rhs = elementTypeOf(factors.rhs);
  if (factors.format)
    lhs = rhs = elementOfType(*factors.format);

  std::vector<Bits> bits(elements.size());
  auto sumUp = [&](auto zero, auto left, auto right, auto start, auto step, auto finish) {
    using T = decltype(zero);
    std::vector<T> a = gather<T>(rows, depth, m, /*isRhs=*/false, factors.readLhs, left);
    std::vector<T> b = gather<T>(columns, depth, n, /*isRhs=*/true, factors.readRhs, right);
    for (auto [place, element] : llvm::enumerate(elements)) {
      const T *row = &a[rows.numbers[element / n] * depth];
      const T *column = &b[columns.numbers[element / n / m * n + element % n] * depth];
      T sum = start(before[place]);
      for (int64_t k = 0; k != depth; ++k)
        sum = step(sum, row[k], column[k]);
      bits[place] = finish(sum);
    }
  };
  if (interpreter::isFloat(acc)) {
    const FloatFormat &format = formatOf(acc);
    auto decode = [](Element element) {
      return [&format = formatOf(element), element](Bits bits) { return format.decode(truncate(bits, element)); };
    };
    auto start = [&](Bits bits) { return format.decode(bits); };
    auto finish = [&](double sum) { return format.encode(sum); };
    if (acc == Element::F64)
      sumUp(
          0.0, decode(lhs), decode(rhs), start,
          [](double sum, double left, double right) { return std::fma(left, right, sum); }, finish);
    else
      sumUp(
          0.0, decode(lhs), decode(rhs), start,
          [](double sum, double left, double right) { return sum + left * right; }, finish);
  } else {
    auto extend = [](Element element, bool isUnsigned) {
      return [=](Bits bits) { return static_cast<uint32_t>(isUnsigned ? bits : signExtend(bits, element)); };
    };
    sumUp(
        uint32_t(0), extend(lhs, factors.unsignedLhs), extend(rhs, factors.unsignedRhs),
        [](Bits bits) { return static_cast<uint32_t>(bits); },
        [](uint32_t sum, uint32_t left, uint32_t right) { return sum + left * right; },
        [](uint32_t sum) { return Bits(sum); });
  }
  return bits;
}

void simulator::multiply(tileas::MmaOp mma, Actor &actor) {
  const Tile &acc = actor.tile(mma.getAcc());
  Factors factors{mma.getLhs(),
                  mma.getRhs(),
                  reader(mma.getLhs(), mma, actor),
                  reader(mma.getRhs(), mma, actor),
                  mma.getFormat(),
                  mma.getUnsignedLhs(),
                  mma.getUnsignedRhs()};
  std::vector<Bits> bits = multiplied(factors, shapeOf(mma.getAcc()), acc.element, acc.holding->elements, *acc.bits);
  Tile result(acc.element, acc.holding, std::move(bits));
  if (mma.getRunning()) {
    Actor::RunningProduct product{mma, result.bits, {}};
    for (mlir::Value operand : {mma.getLhs(), mma.getRhs()})
      if (auto *buffer = std::get_if<Buffer>(&actor.get(operand)); buffer && buffer->pipeline >= 0)
        product.stages.push_back({buffer->pipeline, buffer->released});
    actor.running.push_back(std::move(product));
  } else if (mma.getAtom().getKind() == tileas::AtomKind::Wgmma) {
    actor.endProducts(0); // a wait for it is a wait for those before it
  }
  actor.set(mma.getResult(), std::move(result));
}

void simulator::multiplyScaled(tileas::ScaledMmaOp mma, Actor &actor) {
  const Tile &acc = actor.tile(mma.getAcc());
  llvm::ArrayRef<int64_t> shape = shapeOf(mma.getAcc());
  int64_t rank = shape.size(), m = shape[rank - 2], n = shape[rank - 1], depth = shapeOf(mma.getLhs())[rank - 1],
          blocks = shapeOf(mma.getLhsScale())[rank - 1];
  Element format = elementOfType(mma.getFormat()), scaleFormat = elementOfType(mma.getScaleFormat());
  auto number = [&](mlir::Value operand, int64_t element, Element format) {
    const Tile &tile = actor.tile(operand);
    if (tile.holding->holds(element))
      return formatOf(format).decode(truncate((*tile.bits)[tile.holding->places[element]], format));
    actor.refuse("needs element " + llvm::Twine(element) + " of an operand, which " + actor.name() +
                 " cannot have: expected the operand's layout to be that of the atom");
    return 0.0;
  };
  const FloatFormat &accFormat = formatOf(acc.element);
  std::vector<Bits> bits;
  for (auto [place, element] : llvm::enumerate(acc.holding->elements)) {
    int64_t batch = element / (m * n), row = element / n, column = element % n;
    double sum = accFormat.decode((*acc.bits)[place]);
    for (int64_t k = 0; k != depth; ++k) {
      int64_t block = k * blocks / depth;
      double left =
          number(mma.getLhs(), row * depth + k, format) * number(mma.getLhsScale(), row * blocks + block, scaleFormat);
      double right = number(mma.getRhs(), (batch * depth + k) * n + column, format) *
                     number(mma.getRhsScale(), (batch * blocks + block) * n + column, scaleFormat);
      sum += left * right;
    }
    bits.push_back(accFormat.encode(sum));
  }
  actor.set(mma.getResult(), Tile(acc.element, acc.holding, std::move(bits)));
}
