// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/PaddingTail.h"

#include "cpu/ir/Cpu.h"
#include "tileaa/ir/Numbers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using tileaa::LoadViewOp;
using tileaa::StoreViewOp;

//===-- places ------------------------------------------------------------===//

static ViewAccess boxOf(Operation *access) {
  if (auto load = dyn_cast<LoadViewOp>(access))
    return *ViewAccess::of(load);
  return *ViewAccess::of(cast<StoreViewOp>(access));
}

SmallVector<Value> LineEnd::inputs() const {
  if (!access)
    return {scalar};
  return boxOf(access).inputs();
}

Value LineEnd::build(OpBuilder &builder, Location loc) const {
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  Value end;
  if (access) {
    end = boxOf(access).extentInside(builder, loc, dim);
  } else {
    end = builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), scalar);
    end = arith::MaxSIOp::create(builder, loc, end, constant(0));
  }
  return more ? arith::AddIOp::create(builder, loc, end, constant(more)).getResult() : end;
}

//===-- tails of tiles ----------------------------------------------------===//

static bool isFloatConstant(Attribute constant, llvm::function_ref<bool(const APFloat &)> holds) {
  auto number = dyn_cast_or_null<FloatAttr>(constant);
  return number && holds(number.getValue());
}

bool PaddingTail::isZeroOrNan() const {
  return kind == ZeroOrNan || isFloatConstant(constant, [](const APFloat &number) { return number.isZero(); });
}

static bool isMinusInfinityOrNan(const PaddingTail &tail) {
  return tail.kind == PaddingTail::MinusInfinityOrNan || isFloatConstant(tail.constant, [](const APFloat &number) {
           return number.isInfinity() && number.isNegative();
         });
}

static PaddingTail uniform(Attribute constant = {}) {
  return {PaddingTail::Uniform, constant, {}};
}

static PaddingTail ofScalar(Value value) {
  Attribute constant;
  matchPattern(value, m_Constant(&constant));
  return uniform(constant);
}

// Of a tile along one of its dimensions.
static PaddingTail ofTile(Value tile, int64_t dim) {
  if (auto load = tile.getDefiningOp<LoadViewOp>()) {
    Type element = load.getView().getType().getElementType();
    if (!load.getView().getDefiningOp<tileaa::MakeViewOp>() || !ViewAccess::of(load)->mayLeave(dim))
      return {};
    PaddingTail tail = uniform(
        tileaa::paddingOf(load.getPadding().value_or(tileaa::Padding::Zero), load.getFormat().value_or(element)));
    tail.ends.push_back({load, dim, {}});
    return tail;
  }
  if (auto loop = tile.getDefiningOp<linalg::GenericOp>()) {
    unsigned result = cast<OpResult>(tile).getResultNumber();
    AffineMap map = loop.getMatchingIndexingMap(loop.getDpsInitOperand(result));
    auto along = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!along || !map.isPermutation())
      return {};
    return BodyTails(loop, along.getPosition()).of(loop.getBody()->getTerminator()->getOperand(result));
  }
  DenseElementsAttr elements;
  if (matchPattern(tile, m_Constant(&elements)) && elements.isSplat())
    return uniform(elements.getSplatValue<Attribute>());
  return {};
}

//===-- tails of values ---------------------------------------------------===//

PaddingTail BodyTails::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  PaddingTail tail = compute(value);
  known[value] = tail;
  return tail;
}

PaddingTail BodyTails::compute(Value value) {
  if (value.getParentBlock() != loop.getBody())
    return ofScalar(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand &operand = loop->getOpOperand(argument.getArgNumber());
    return loop.isDpsInput(&operand) ? ofInput(operand) : PaddingTail();
  }
  Operation *op = value.getDefiningOp();
  if (auto mark = dyn_cast<ElementOp>(op))
    return of(mark.getValue());
  if (auto position = dyn_cast<linalg::IndexOp>(op))
    return (int64_t)position.getDim() == dim ? PaddingTail() : uniform();
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return ofSelect(choice);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    if (std::optional<PaddingTail> tail = ofComparison(comparison))
      return *tail;
  return ofOperation(op);
}

PaddingTail BodyTails::ofInput(OpOperand &input) {
  AffineMap map = loop.getMatchingIndexingMap(&input);
  if (!isa<RankedTensorType>(input.get().getType()))
    return ofScalar(input.get());
  if (!map.isFunctionOfDim(dim))
    return uniform();
  std::optional<unsigned> along = map.getResultPosition(getAffineDimExpr(dim, loop.getContext()));
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (!along || (position != *along && result.isFunctionOfDim(dim)))
      return {};
  return ofTile(input.get(), *along);
}

// One that is known in the tail chooses there.
PaddingTail BodyTails::ofSelect(arith::SelectOp op) {
  PaddingTail condition = of(op.getCondition());
  auto constant = dyn_cast_or_null<IntegerAttr>(condition.constant);
  if (!constant)
    return ofOperation(op);
  PaddingTail chosen = of(constant.getValue().isZero() ? op.getFalseValue() : op.getTrueValue());
  llvm::append_range(chosen.ends, condition.ends);
  return chosen;
}

// As an integer that holds all positions of the line.
bool BodyTails::isPosition(Value value) {
  for (; auto cast = value.getDefiningOp<arith::IndexCastOp>(); value = cast.getIn())
    if (!value.getType().isIndex() &&
        loop.getStaticLoopRanges()[dim] > llvm::maxIntN(value.getType().getIntOrFloatBitWidth()))
      return false;
  auto position = value.getDefiningOp<linalg::IndexOp>();
  return position && (int64_t)position.getDim() == dim;
}

static std::optional<arith::CmpIPredicate> withSidesSwapped(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::sge;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::sle;
  default:
    return std::nullopt;
  }
}

// Of the position on the line, which is not negative, and a scalar: always or never from there on.
std::optional<PaddingTail> BodyTails::ofComparison(arith::CmpIOp op) {
  std::optional<arith::CmpIPredicate> predicate = withSidesSwapped(op.getPredicate());
  Value position = op.getRhs(), bound = op.getLhs();
  if (isPosition(op.getLhs())) {
    std::swap(position, bound);
    predicate = predicate ? withSidesSwapped(*predicate) : std::nullopt;
  }
  if (!predicate || !isPosition(position) || bound.getParentBlock() == loop.getBody())
    return std::nullopt;
  bool isBelow = *predicate == arith::CmpIPredicate::slt || *predicate == arith::CmpIPredicate::sle;
  bool changesBehind = *predicate == arith::CmpIPredicate::sle || *predicate == arith::CmpIPredicate::sgt;
  PaddingTail tail = uniform(BoolAttr::get(op.getContext(), !isBelow));
  tail.ends.push_back({nullptr, 0, bound, changesBehind ? 1 : 0});
  return tail;
}

// Facts about the result beside that it is the same everywhere.
static PaddingTail::Kind kindOf(Operation *op, ArrayRef<PaddingTail> operands) {
  auto isZero = [](const PaddingTail &tail) { return tail.isZeroOrNan(); };
  if (isa<arith::SubFOp>(op) && isMinusInfinityOrNan(operands[0]))
    return PaddingTail::MinusInfinityOrNan;
  if (isa<math::ExpOp, math::Exp2Op>(op) && isMinusInfinityOrNan(operands[0]))
    return PaddingTail::ZeroOrNan;
  if (isa<arith::MulFOp>(op) && llvm::any_of(operands, isZero))
    return PaddingTail::ZeroOrNan;
  if (isa<arith::DivFOp>(op) && isZero(operands[0]))
    return PaddingTail::ZeroOrNan;
  if (isa<math::FmaOp>(op) && (isZero(operands[0]) || isZero(operands[1])) && isZero(operands[2]))
    return PaddingTail::ZeroOrNan;
  if (isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp>(op) &&
      llvm::all_of(operands, isZero))
    return PaddingTail::ZeroOrNan;
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && isMinusInfinityOrNan(operands[0]))
    return PaddingTail::MinusInfinityOrNan;
  return PaddingTail::Uniform;
}

PaddingTail BodyTails::ofOperation(Operation *op) {
  if (!isPure(op) || op->getNumRegions() != 0 || op->getNumResults() != 1)
    return {};
  SmallVector<PaddingTail> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return of(value); });
  if (!llvm::all_of(operands, [](const PaddingTail &tail) { return tail.isUniform(); }))
    return {};
  PaddingTail result = uniform();
  SmallVector<Attribute> constants;
  for (const PaddingTail &tail : operands) {
    constants.push_back(tail.constant);
    llvm::append_range(result.ends, tail.ends);
  }
  result.kind = kindOf(op, operands);
  // A copy, since folding may change the operation.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> folded;
  if (succeeded(copy->fold(constants, folded)) && folded.size() == 1)
    result.constant = dyn_cast<Attribute>(folded[0]);
  copy->destroy();
  return result;
}
