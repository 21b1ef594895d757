// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/DescribeScalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;
using predict::ScalarId;
using predict::ScalarKind;

namespace {

unsigned bitsOf(Type type) {
  return type.isInteger() ? std::min(64u, type.getIntOrFloatBitWidth()) : 64;
}

bool isScalarInteger(Type type) {
  return type.isIntOrIndex();
}

std::optional<ScalarKind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ScalarKind>>(op)
      .Case([](arith::AddIOp) { return ScalarKind::Add; })
      .Case([](arith::SubIOp) { return ScalarKind::Sub; })
      .Case([](arith::MulIOp) { return ScalarKind::Mul; })
      .Case([](arith::DivSIOp) { return ScalarKind::DivS; })
      .Case([](arith::DivUIOp) { return ScalarKind::DivU; })
      .Case([](arith::CeilDivSIOp) { return ScalarKind::CeilDivS; })
      .Case([](arith::CeilDivUIOp) { return ScalarKind::CeilDivU; })
      .Case([](arith::FloorDivSIOp) { return ScalarKind::FloorDivS; })
      .Case([](arith::RemSIOp) { return ScalarKind::RemS; })
      .Case([](arith::RemUIOp) { return ScalarKind::RemU; })
      .Case([](arith::MinSIOp) { return ScalarKind::MinS; })
      .Case([](arith::MaxSIOp) { return ScalarKind::MaxS; })
      .Case([](arith::MinUIOp) { return ScalarKind::MinU; })
      .Case([](arith::MaxUIOp) { return ScalarKind::MaxU; })
      .Case([](arith::AndIOp) { return ScalarKind::And; })
      .Case([](arith::OrIOp) { return ScalarKind::Or; })
      .Case([](arith::XOrIOp) { return ScalarKind::Xor; })
      .Case([](arith::ShLIOp) { return ScalarKind::ShiftLeft; })
      .Case([](arith::ShRSIOp) { return ScalarKind::ShiftRightS; })
      .Case([](arith::ShRUIOp) { return ScalarKind::ShiftRightU; })
      .Case([](arith::SelectOp) { return ScalarKind::Select; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

ScalarId DescribeScalars::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  ScalarId made = make(value);
  known[value] = made;
  return made;
}

ScalarId DescribeScalars::addVariable(Value value, unsigned depth) {
  return known[value] = scalars.make(ScalarKind::Variable, depth);
}

ScalarId DescribeScalars::mix(Operation *op, ArrayRef<Value> operands) {
  SmallVector<ScalarId, 3> parts;
  for (Value operand : operands)
    if (!isa<tileaa::TokenType>(operand.getType()))
      parts.push_back(of(operand));
  // Operations of the same name and attributes give the same for the same.
  auto hash = llvm::hash_combine(op->getName().getAsOpaquePointer(), op->getAttrDictionary().getAsOpaquePointer());
  return scalars.make(ScalarKind::Mix, int64_t(size_t(hash)), parts);
}

ScalarId DescribeScalars::makeOfArgument(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  if (argument.getOwner() == &function.getBody().front()) {
    if (number >= firstGrid && number < firstHidden)
      return scalars.make(ScalarKind::Grid, number - firstGrid);
    return scalars.make(ScalarKind::Parameter, number, {}, bitsOf(argument.getType()));
  }
  // A value that iterations carry differs between them.
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  SmallVector<ScalarId, 1> variable;
  if (loop && known.contains(loop.getInductionVar()))
    variable.push_back(known[loop.getInductionVar()]);
  return scalars.make(ScalarKind::Mix, int64_t(size_t(llvm::hash_value(argument.getAsOpaquePointer()))), variable);
}

ScalarId DescribeScalars::makeOfArith(Operation *op) {
  unsigned bits = bitsOf(op->getResult(0).getType());
  auto operand = [&](unsigned index) { return of(op->getOperand(index)); };
  if (std::optional<ScalarKind> kind = kindOf(op)) {
    SmallVector<ScalarId, 3> operands;
    for (Value each : op->getOperands())
      operands.push_back(of(each));
    return scalars.make(*kind, 0, operands, bits);
  }
  if (auto extend = dyn_cast<arith::ExtUIOp>(op))
    return scalars.make(ScalarKind::ZeroExtend, bitsOf(extend.getIn().getType()), {operand(0)});
  if (auto cast = dyn_cast<arith::IndexCastUIOp>(op); cast && cast.getIn().getType().isInteger())
    return scalars.make(ScalarKind::ZeroExtend, bitsOf(cast.getIn().getType()), {operand(0)});
  if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op)) {
    ScalarId source = operand(0);
    if (bits >= scalars[source].bits)
      return source;
    return scalars.make(ScalarKind::Add, 0, {source, scalars.constant(0)}, bits);
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    P predicate = compare.getPredicate();
    ScalarId left = operand(0), right = operand(1);
    bool isSwapped = llvm::is_contained({P::sgt, P::sge, P::ugt, P::uge}, predicate);
    if (isSwapped)
      std::swap(left, right);
    ScalarKind kind = predicate == P::eq                                ? ScalarKind::CompareEq
                      : predicate == P::ne                              ? ScalarKind::CompareNe
                      : llvm::is_contained({P::slt, P::sgt}, predicate) ? ScalarKind::CompareSlt
                      : llvm::is_contained({P::sle, P::sge}, predicate) ? ScalarKind::CompareSle
                      : llvm::is_contained({P::ult, P::ugt}, predicate) ? ScalarKind::CompareUlt
                                                                        : ScalarKind::CompareUle;
    return scalars.make(kind, 0, {left, right}, 1);
  }
  return mix(op, llvm::to_vector(op->getOperands()));
}

ScalarId DescribeScalars::make(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return makeOfArgument(argument);
  Operation *op = value.getDefiningOp();
  if (IntegerAttr number; matchPattern(value, m_Constant(&number)) && isScalarInteger(value.getType()))
    return scalars.constant(number.getValue().getBitWidth() > 64 ? 0 : number.getValue().getSExtValue());
  unsigned result = cast<OpResult>(value).getResultNumber();
  if (isa<tileaa::BlockIdOp>(op))
    return scalars.make(ScalarKind::BlockId, result);
  if (isa<tileaa::NumBlocksOp>(op))
    return scalars.make(ScalarKind::Blocks, result);
  if (std::optional<ScalarId> other = makeOfOther(cast<OpResult>(value)))
    return *other;
  if (auto assume = dyn_cast<tileaa::AssumeDivByOp>(op))
    return of(assume.getValue());
  if (auto dim = dyn_cast<tileaa::ViewDimOp>(op))
    return viewOf(dim.getView()).shape[dim.getDim()];
  if (auto stride = dyn_cast<tileaa::ViewStrideOp>(op))
    return viewOf(stride.getView()).strides[stride.getDim()];
  if (auto base = dyn_cast<tileaa::ViewBaseOp>(op))
    return viewOf(base.getView()).base;
  if (isScalarInteger(value.getType()) && op->getDialect()->getNamespace() == "arith")
    return makeOfArith(op);
  if (op->getNumRegions() != 0) {
    // The result of a loop or a branch: of what goes in.
    return scalars.make(ScalarKind::Mix, int64_t(size_t(llvm::hash_combine(op, result))));
  }
  return mix(op, llvm::to_vector(op->getOperands()));
}

DescribeScalars::View DescribeScalars::viewOf(Value view) {
  auto type = cast<tileaa::ViewType>(view.getType());
  auto make = view.getDefiningOp<tileaa::MakeViewOp>();
  View result{make ? of(make.getBase()) : of(view), {}, {}};
  auto fill = [&](ArrayRef<int64_t> known, ValueRange dynamic, auto &to) {
    unsigned next = 0;
    for (int64_t each : known) {
      if (!ShapedType::isDynamic(each))
        to.push_back(scalars.constant(each));
      else
        to.push_back(make ? of(dynamic[next++]) : of(view));
    }
  };
  fill(type.getShape(), make ? make.getDynamicShape() : ValueRange(), result.shape);
  fill(type.getStrides(), make ? make.getDynamicStrides() : ValueRange(), result.strides);
  return result;
}
