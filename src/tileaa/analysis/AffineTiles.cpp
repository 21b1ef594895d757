// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/AffineTiles.h"

#include "mlir/IR/Matchers.h"
#include "tileaa/analysis/UnitReshape.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

static ArrayRef<int64_t> shapeOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

static unsigned widthOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===-- shapes ------------------------------------------------------------===//

bool AffineTile::isUniform() const {
  return llvm::all_of(steps, [](const Polynomial &step) { return step.isZero(); });
}

std::optional<unsigned> AffineTile::unitDim() const {
  std::optional<unsigned> found;
  for (auto [dim, step] : llvm::enumerate(steps)) {
    if (step.isZero())
      continue;
    if (found || step.getConstant() != 1)
      return std::nullopt;
    found = dim;
  }
  return found;
}

std::optional<SmallVector<int64_t>> tileaa::sourceDims(Operation *op) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    ArrayRef<int64_t> from = shapeOf(broadcast.getSource()), to = shapeOf(broadcast.getResult());
    SmallVector<int64_t> dims(to.size(), -1);
    for (auto [dim, extent] : llvm::enumerate(from))
      if (extent == to[dim])
        dims[dim] = dim;
    return dims;
  }
  if (auto permute = dyn_cast<PermuteOp>(op))
    return llvm::to_vector(permute.getPermutation());
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return matchUnitReshape(shapeOf(reshape.getSource()), shapeOf(reshape.getResult()));
  return std::nullopt;
}

AffineTile tileaa::withDims(const AffineTile &source, ArrayRef<int64_t> dims) {
  AffineTile tile{source.start, {}};
  for (int64_t dim : dims)
    tile.steps.push_back(dim < 0 ? Polynomial() : source.steps[dim]);
  return tile;
}

//===-- tiles of equal elements -------------------------------------------===//

bool AffineTiles::isUniform(Value tile) {
  SplatElementsAttr splat;
  if (!isTile(tile) || matchPattern(tile, m_Constant(&splat)))
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op || op->getNumOperands() == 0)
    return false;
  bool onlyMoves = isa<BroadcastOp, ReshapeOp, PermuteOp>(op);
  bool isElementwise = op->getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(op);
  return (onlyMoves || isElementwise) && llvm::all_of(op->getOperands(), isUniform);
}

Value AffineTiles::makeScalar(OpBuilder &builder, Value tile) {
  if (!isTile(tile))
    return tile;
  Operation *op = tile.getDefiningOp();
  SplatElementsAttr splat;
  if (matchPattern(tile, m_Constant(&splat)))
    return arith::ConstantOp::create(builder, tile.getLoc(), splat.getSplatValue<TypedAttr>());
  if (isa<BroadcastOp, ReshapeOp, PermuteOp>(op))
    return makeScalar(builder, op->getOperand(0));
  SmallVector<Value> operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return makeScalar(builder, operand); });
  return builder
      .create(op->getLoc(), op->getName().getIdentifier(), operands, getElementTypeOrSelf(tile.getType()),
              op->getAttrs())
      ->getResult(0);
}

//===-- scalars -----------------------------------------------------------===//

Polynomial AffineTiles::numberOf(Scalar scalar) {
  for (auto [number, other] : llvm::enumerate(scalars))
    if (other.value == scalar.value && other.extended == scalar.extended && other.bits == scalar.bits &&
        other.isExtended == scalar.isExtended)
      return Polynomial::ofScalar(number);
  scalars.push_back(std::move(scalar));
  return Polynomial::ofScalar(scalars.size() - 1);
}

Polynomial AffineTiles::ofValue(Value value) {
  return numberOf({value, {}, widthOf(value.getType()), false});
}

Polynomial AffineTiles::extend(const Polynomial &sum, unsigned bits) {
  if (std::optional<int64_t> constant = sum.getConstant())
    return llvm::SignExtend64(*constant, bits);
  if (std::optional<unsigned> scalar = sum.getScalar(); scalar && scalars[*scalar].value)
    return numberOf({scalars[*scalar].value, {}, scalars[*scalar].bits, true});
  return numberOf({Value(), sum, bits, true});
}

Value AffineTiles::originOf(unsigned scalar) const {
  Value value = scalars[scalar].value;
  while (value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<BroadcastOp, ReshapeOp, PermuteOp, AssumeDivByOp, arith::ExtSIOp, arith::IndexCastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

unsigned AffineTiles::significantBits(unsigned scalar) const {
  const Scalar &known = scalars[scalar];
  if (auto cast = known.value ? known.value.getDefiningOp<arith::IndexCastOp>() : nullptr; cast)
    if (auto from = dyn_cast<IntegerType>(cast.getIn().getType()))
      return std::min(known.bits, from.getWidth());
  return known.bits;
}

//===-- arithmetic --------------------------------------------------------===//

// Narrow sums wrap around within a tile: i8 from 100 on does after 28 elements.
static bool staysWithin(const AffineTile &tile, unsigned bits, ArrayRef<int64_t> shape) {
  std::optional<int64_t> least = tile.start.getConstant();
  if (!least)
    return false;
  int64_t low = *least, high = *least;
  for (auto [step, extent] : llvm::zip_equal(tile.steps, shape)) {
    std::optional<int64_t> each = step.getConstant();
    if (!each || *each != llvm::SignExtend64(*each, 32))
      return false;
    (*each < 0 ? low : high) += *each * (extent - 1);
  }
  return llvm::isIntN(bits, low) && llvm::isIntN(bits, high);
}

std::optional<AffineTile> AffineTiles::extend(const AffineTile &tile, Type narrow, ArrayRef<int64_t> shape) {
  unsigned bits = widthOf(narrow);
  bool mayWrap = !tile.isUniform() && (bits < 32 || tile.start.getConstant());
  if (mayWrap && !staysWithin(tile, bits, shape))
    return std::nullopt;
  AffineTile wide{extend(tile.start, bits), {}};
  for (const Polynomial &step : tile.steps)
    wide.steps.push_back(extend(step, bits));
  return wide;
}

std::optional<AffineTile> AffineTiles::widened(Value tile) {
  std::optional<AffineTile> narrow = of(tile);
  if (!narrow || widthOf(tile.getType()) == 64)
    return narrow;
  return extend(*narrow, tile.getType(), shapeOf(tile));
}

std::optional<AffineTile> AffineTiles::of(Value tile) {
  if (auto found = known.find(tile); found != known.end())
    return found->second;
  std::optional<AffineTile> result;
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(tile.getType()));
  if (element && element.getWidth() > 1 && element.getWidth() <= 64)
    result = compute(tile);
  if (!result && element && isUniform(tile))
    result = AffineTile{ofValue(tile), SmallVector<Polynomial, 4>(shapeOf(tile).size())};
  return known[tile] = result;
}

static AffineTile combine(const AffineTile &a, const AffineTile &b,
                          llvm::function_ref<Polynomial(const Polynomial &, const Polynomial &)> function) {
  AffineTile result{function(a.start, b.start), {}};
  for (auto [x, y] : llvm::zip_equal(a.steps, b.steps))
    result.steps.push_back(function(x, y));
  return result;
}

static std::optional<AffineTile> product(const AffineTile &a, const AffineTile &b) {
  if (!b.isUniform())
    return a.isUniform() ? product(b, a) : std::nullopt;
  AffineTile result{a.start * b.start, {}};
  for (const Polynomial &step : a.steps)
    result.steps.push_back(step * b.start);
  return result;
}

std::optional<AffineTile> AffineTiles::compute(Value tile) {
  APInt number;
  if (matchPattern(tile, m_ConstantInt(&number)))
    return AffineTile{number.getSExtValue(), SmallVector<Polynomial, 4>(shapeOf(tile).size())};
  Operation *op = tile.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<IotaOp>(op))
    return AffineTile{0, {shapeOf(tile)[0] == 1 ? 0 : 1}};
  if (std::optional<SmallVector<int64_t>> dims = sourceDims(op)) {
    std::optional<AffineTile> source = of(op->getOperand(0));
    return source ? std::optional(withDims(*source, *dims)) : std::nullopt;
  }
  if (auto extension = dyn_cast<arith::ExtSIOp>(op)) {
    // Only what is extended to all bits is known as a number.
    std::optional<AffineTile> source = of(extension.getIn());
    bool isWide = widthOf(tile.getType()) == 64;
    return source && isWide ? extend(*source, extension.getIn().getType(), shapeOf(tile)) : std::nullopt;
  }
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<AffineTile> a = of(op->getOperand(0)), b = of(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<AffineTile>>(op)
      .Case([&](arith::AddIOp) { return combine(*a, *b, [](const auto &x, const auto &y) { return x + y; }); })
      .Case([&](arith::SubIOp) { return combine(*a, *b, [](const auto &x, const auto &y) { return x - y; }); })
      .Default([&](Operation *) { return product(*a, *b); });
}

//===-- code --------------------------------------------------------------===//

Value AffineTiles::make(OpBuilder &builder, Location loc, const Scalar &scalar) {
  Value value = scalar.value ? makeScalar(builder, scalar.value)
                             : make(builder, loc, scalar.extended, builder.getIntegerType(scalar.bits));
  Type wide = builder.getI64Type();
  return scalar.isExtended && scalar.bits < 64 ? arith::ExtSIOp::create(builder, loc, wide, value).getResult() : value;
}

Value AffineTiles::make(OpBuilder &builder, Location loc, const Polynomial &polynomial, Type type) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, IntegerAttr::get(type, APInt(widthOf(type), value, true, true)));
  };
  Value sum;
  for (const auto &[product, factor] : polynomial.getTerms()) {
    Value term;
    for (unsigned number : product) {
      Value value = make(builder, loc, Scalar(scalars[number]));
      term = term ? arith::MulIOp::create(builder, loc, term, value).getResult() : value;
    }
    if (!term)
      term = constant(factor);
    else if (factor != 1)
      term = arith::MulIOp::create(builder, loc, term, constant(factor));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, term).getResult() : term;
  }
  return sum ? sum : constant(0);
}

Value AffineTiles::make(OpBuilder &builder, Location loc, const Polynomial &polynomial) {
  return make(builder, loc, polynomial, builder.getI64Type());
}
