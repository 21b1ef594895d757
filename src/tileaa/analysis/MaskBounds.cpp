// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/MaskBounds.h"

#include "mlir/IR/Matchers.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

using Bounds = SmallVector<MaskBound>;

MaskBounds::MaskBounds(func::FuncOp function, AffineTiles &tiles) : tiles(tiles) {
  if (auto numbers = function->getAttrOfType<DenseI64ArrayAttr>(nonNegativeAttr))
    for (int64_t number : numbers.asArrayRef())
      if (number >= 0 && number < function.getNumArguments())
        nonNegative.insert(function.getArgument(number));
}

bool MaskBounds::isNonNegative(const Polynomial &polynomial) const {
  if (std::optional<int64_t> constant = polynomial.getConstant())
    return *constant >= 0;
  std::optional<unsigned> scalar = polynomial.getScalar();
  Value origin = scalar ? tiles.originOf(*scalar) : Value();
  return origin && (nonNegative.contains(origin) || origin.getDefiningOp<ViewDimOp>() ||
                    origin.getDefiningOp<BlockIdOp>() || origin.getDefiningOp<NumBlocksOp>());
}

// The bits that it takes at most, with its sign; 64 for what may wrap around.
unsigned MaskBounds::bitsOf(const Polynomial &polynomial) const {
  constexpr unsigned bitsOfExtent = 48; // no array has more elements
  unsigned most = 1;
  for (const auto &[product, factor] : polynomial.getTerms()) {
    if (factor == std::numeric_limits<int64_t>::min())
      return 64;
    unsigned bits = product.empty() || std::abs(factor) != 1 ? llvm::Log2_64(std::abs(factor)) + 2 : 1;
    for (unsigned scalar : product) {
      Value origin = tiles.originOf(scalar);
      bits += origin && origin.getDefiningOp<ViewDimOp>() ? bitsOfExtent : tiles.significantBits(scalar);
    }
    most = std::max(most, bits);
  }
  unsigned sum = most + llvm::Log2_64_Ceil(std::max<size_t>(1, polynomial.getTerms().size()));
  return std::min(64u, sum);
}

// b > a for a < b; `ne`, which bounds nothing, for those that are looked at no further.
static arith::CmpIPredicate mirrored(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::slt:
    return Predicate::sgt;
  case Predicate::sle:
    return Predicate::sge;
  case Predicate::sgt:
    return Predicate::slt;
  case Predicate::sge:
    return Predicate::sle;
  case Predicate::ugt:
    return Predicate::ult;
  default:
    return Predicate::ne;
  }
}

std::optional<MaskBound> MaskBounds::compare(arith::CmpIOp compared) {
  using Predicate = arith::CmpIPredicate;
  std::optional<AffineTile> left = tiles.widened(compared.getLhs()), right = tiles.widened(compared.getRhs());
  if (!left || !right)
    return std::nullopt;
  Predicate predicate = compared.getPredicate();
  if (left->isUniform() && !right->isUniform()) {
    std::swap(left, right);
    predicate = mirrored(predicate);
  }
  std::optional<unsigned> dim = left->unitDim();
  // Sums with the extents of tiles stay numbers of 64 bits.
  constexpr unsigned mostBits = 60;
  if (!right->isUniform() || (!dim && !left->isUniform()) || bitsOf(left->start) > mostBits ||
      bitsOf(right->start) > mostBits)
    return std::nullopt;
  MaskBound bound{dim, left->start};
  // The index of 32 bits may wrap around in the tile. Beyond the wrap it is negative, and no end of 32 bits is.
  bool mayWrap = !left->start.getConstant() && dim, shortEnd = bitsOf(right->start) <= 33;
  switch (predicate) {
  case Predicate::slt:
    bound.end = right->start;
    break;
  case Predicate::sle:
    bound.end = right->start + 1;
    break;
  case Predicate::sge:
    bound.start = left->start - right->start;
    bound.fromZero = true;
    break;
  case Predicate::sgt:
    bound.start = left->start - right->start - 1;
    bound.fromZero = true;
    break;
  case Predicate::ult:
    bound.end = right->start;
    bound.fromZero = true;
    bound.endIsUnsigned = !isNonNegative(right->start);
    if (bound.endIsUnsigned && left->start.getConstant().value_or(-1) < 0)
      return std::nullopt;
    break;
  default:
    return std::nullopt;
  }
  bool isAddressed = llvm::all_of(left->start.getTerms(), [&](const auto &term) {
    return llvm::all_of(term.first, [&](unsigned scalar) { return address->uses(scalar); });
  });
  if (mayWrap && !(predicate == Predicate::ult ? shortEnd : isAddressed))
    return std::nullopt;
  return bound;
}

// Of a mask that selects all elements or none.
std::optional<MaskBound> MaskBounds::uniform(Value mask) {
  Value compared = mask;
  while (Operation *op = compared.getDefiningOp()) {
    if (!isa<BroadcastOp, ReshapeOp, PermuteOp>(op))
      break;
    compared = op->getOperand(0);
  }
  if (auto cmp = compared.getDefiningOp<arith::CmpIOp>(); cmp && cmp.getPredicate() == arith::CmpIPredicate::ult)
    if (std::optional<MaskBound> bound = compare(cmp); bound && !bound->endIsUnsigned && bound->start.getScalar())
      return bound;
  MaskBound bound;
  bound.holds = mask;
  return bound;
}

std::optional<Bounds> MaskBounds::conjunctsOf(Value mask) {
  if (matchPattern(mask, m_One()))
    return Bounds();
  Operation *op = mask.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    std::optional<Bounds> left = conjunctsOf(both.getLhs()), right = conjunctsOf(both.getRhs());
    if (!left || !right)
      return std::nullopt;
    llvm::append_range(*left, *right);
    return left;
  }
  if (AffineTiles::isUniform(mask)) {
    std::optional<MaskBound> bound = uniform(mask);
    return bound ? std::optional<Bounds>({*bound}) : std::nullopt;
  }
  if (auto compared = dyn_cast_or_null<arith::CmpIOp>(op)) {
    std::optional<MaskBound> bound = compare(compared);
    return bound ? std::optional<Bounds>({*bound}) : std::nullopt;
  }
  std::optional<SmallVector<int64_t>> dims = op ? sourceDims(op) : std::nullopt;
  std::optional<Bounds> bounds = dims ? conjunctsOf(op->getOperand(0)) : std::nullopt;
  if (!bounds)
    return std::nullopt;
  for (MaskBound &bound : *bounds)
    if (bound.dim)
      bound.dim = llvm::find(*dims, *bound.dim) - dims->begin();
  return bounds;
}

std::optional<Bounds> MaskBounds::of(Value mask, const Polynomial &start) {
  address = &start;
  return mask ? conjunctsOf(mask) : Bounds();
}
