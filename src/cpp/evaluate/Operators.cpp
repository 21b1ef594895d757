// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language's operators and conversions.
#include "cpp/evaluate/Evaluator.h"
#include "cpp/ops/Elementwise.h"
#include "cpp/values/Fold.h"

using namespace clang;

namespace tilewright::cpp {

// ---- conversions ----------------------------------------------------------------------------------------

Leaves Evaluator::evaluateCast(const CastExpr *conversion) {
  const Expr *from = conversion->getSubExpr();
  QualType type = conversion->getType();
  switch (conversion->getCastKind()) {
  case CK_LValueToRValue:
    return load(place(from));
  case CK_NoOp:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
    return evaluate(from);
  case CK_ToVoid:
    perform(from);
    return {};
  case CK_NullToPointer:
    perform(from);
    return zeroLeaves(type);
  case CK_ArrayToPointerDecay: {
    const auto *array = cast<ConstantArrayType>(ast.getAsArrayType(from->getType()));
    Place first = place(from);
    first.type = array->getElementType();
    first.elements = array->getZExtSize();
    return {first.isInMemory() ? Leaf(addressAt(first, 0, first.type)) : Leaf(first)};
  }
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase: {
    Place object = type->isPointerType() ? target(evaluateLeaf(from), from->getType()->getPointeeType())
                                         : materialize(evaluate(from), from->getType());
    for (const CXXBaseSpecifier *base : conversion->path())
      object = baseOf(object, base->getType()->getAsCXXRecordDecl());
    if (!type->isPointerType())
      return load(object);
    return {object.isInMemory() ? Leaf(object.address) : Leaf(object)};
  }
  case CK_BitCast: {
    Leaf pointer = evaluateLeaf(from);
    if (pointer.place)
      refuse("a local object cannot be accessed as one of another type");
    return {Leaf(emitter.convertElements(valueOf(pointer), from->getType(), type))};
  }
  case CK_IntegralCast:
  case CK_IntegralToBoolean:
  case CK_IntegralToFloating:
  case CK_FloatingToIntegral:
  case CK_FloatingToBoolean:
  case CK_FloatingCast:
  case CK_BooleanToSignedIntegral:
  case CK_PointerToIntegral:
  case CK_IntegralToPointer:
  case CK_PointerToBoolean:
    if (!layout.elementType(type))
      refuse("tile code cannot have a value of type '" + type.getAsString() + "'");
    return {Leaf(emitter.convertElements(evaluateScalar(from), from->getType(), type))};
  case CK_FunctionToPointerDecay:
    refuse("tile code cannot have pointers to functions");
  default:
    refuse("tile code cannot have this conversion (" + llvm::Twine(conversion->getCastKindName()) + ")");
  }
}

// ---- operators of one operand -------------------------------------------------------------------------------

Leaves Evaluator::evaluateUnary(const UnaryOperator *op) {
  const Expr *operand = op->getSubExpr();
  bool isSigned = layout.isSigned(op->getType());
  switch (op->getOpcode()) {
  case UO_Plus:
  case UO_Extension:
    return evaluate(operand);
  case UO_Minus:
    return {Leaf(buildElementwise(emitter, "neg", evaluateScalar(operand), isSigned))};
  case UO_Not:
  case UO_LNot:
    return {Leaf(buildElementwise(emitter, "bit_not", evaluateScalar(operand), isSigned))};
  case UO_AddrOf: {
    Place object = place(operand);
    return {object.isInMemory() ? Leaf(addressAt(object, 0, object.type)) : Leaf(object)};
  }
  case UO_PostInc:
  case UO_PostDec: {
    Leaves before = load(place(operand));
    increment(op);
    return before;
  }
  default:
    refuse("tile code cannot have this operator");
  }
}

Place Evaluator::increment(const UnaryOperator *op) {
  Place object = place(op->getSubExpr());
  QualType type = op->getType();
  Leaf before = load(object).front();
  int step = op->isIncrementOp() ? 1 : -1;
  Leaf after;
  if (type->isPointerType()) {
    auto count = cuda_tile::TileType::get({}, emitter.builder.getI64Type());
    after = offsetPointer(before, type, emitter.integer(step, count), ast.LongTy);
  } else {
    mlir::Value value = valueOf(before);
    if (!value)
      value = emitter.zero(layout.tileType(type));
    cuda_tile::TileType held = tileTypeOf(value);
    mlir::Value one = mlir::isa<mlir::FloatType>(held.getElementType())
                          ? emitter.constant(emitter.builder.getFloatAttr(held.getElementType(), 1.0), held)
                          : emitter.integer(1, held);
    after = Leaf(buildElementwise(emitter, step > 0 ? "add" : "sub", {value, one}, layout.isSigned(type)));
  }
  store(object, {after});
  return object;
}

// ---- operators of two ---------------------------------------------------------------------------------------

static StringRef operationOf(BinaryOperatorKind kind) {
  switch (kind) {
  case BO_Add:
    return "add";
  case BO_Sub:
    return "sub";
  case BO_Mul:
    return "mul";
  case BO_Div:
    return "div";
  case BO_Rem:
    return "rem";
  case BO_Shl:
    return "shift_left";
  case BO_Shr:
    return "shift_right";
  case BO_And:
    return "bit_and";
  case BO_Or:
    return "bit_or";
  case BO_Xor:
    return "bit_xor";
  case BO_LT:
    return "less";
  case BO_LE:
    return "less_equal";
  case BO_GT:
    return "greater";
  case BO_GE:
    return "greater_equal";
  case BO_EQ:
    return "equal";
  case BO_NE:
    return "not_equal";
  default:
    return "";
  }
}

mlir::Value Evaluator::arithmetic(BinaryOperatorKind kind, mlir::Value a, mlir::Value b, QualType type,
                                  QualType right) {
  if (kind == BO_Shl || kind == BO_Shr)
    b = emitter.convertElements(b, right, type);
  mlir::Value result = buildElementwise(emitter, operationOf(kind), {a, b}, layout.isSigned(type));
  if (!result)
    refuse("tile code cannot have this operator for '" + type.getAsString() + "'");
  return result;
}

// An element at most in this many is chosen when the kernel runs.
static constexpr unsigned mostChoices = 256;

Leaf Evaluator::offsetPlace(const Place &place, QualType pointee, mlir::Value offset, QualType offsetType) {
  unsigned size = leafCount(pointee);
  std::optional<llvm::APInt> number = constantInteger(offset);
  Place moved = place;
  if (number && !place.index) {
    int64_t count = number->getSExtValue();
    if (count < 0 ? unsigned(-count) * size > moved.slot : uint64_t(count) > moved.elements)
      refuse("the index " + llvm::Twine(count) + " is outside of the array");
    moved.slot += count * static_cast<int64_t>(size);
    moved.elements -= count;
    return moved;
  }
  mlir::Value index = emitter.convertElements(offset, offsetType, ast.LongTy);
  unsigned reach = place.elements;
  if (place.index) {
    if (size == 0 || place.stride % size != 0)
      refuse("tile code cannot choose this element when the kernel runs: the elements are not all of one type");
    mlir::Value scale = emitter.integer(place.stride / size, tileTypeOf(index));
    mlir::Value whole = emitter.create("muli", {place.index, scale}, index.getType());
    index = emitter.create("addi", {whole, index}, index.getType());
    reach = place.reach * (place.stride / size);
  }
  if (reach > mostChoices)
    refuse("an element of a local array of " + llvm::Twine(reach) +
           " is chosen when the kernel runs, which is done for " + llvm::Twine(mostChoices) +
           " elements at most; larger arrays belong into memory");
  moved.index = index;
  moved.stride = size;
  moved.reach = reach;
  moved.elements = 1;
  return moved;
}

Leaf Evaluator::offsetPointer(const Leaf &pointer, QualType type, mlir::Value offset, QualType offsetType) {
  QualType pointee = type->getPointeeType();
  if (pointer.place)
    return offsetPlace(*pointer.place, pointee, offset, offsetType);
  // Elements that Tile IR has no type for are counted in bytes.
  mlir::Value value = valueOf(pointer);
  if (!layout.elementType(pointee) || pointee->isPointerType()) {
    offset = emitter.convertElements(offset, offsetType, ast.LongTy);
    mlir::Value size = emitter.integer(ast.getTypeSizeInChars(pointee).getQuantity(), tileTypeOf(offset));
    offset = emitter.create("muli", {offset, size}, offset.getType());
  } else if (!offsetType->isSignedIntegerOrEnumerationType()) {
    offset = emitter.convertElements(offset, offsetType, ast.LongTy);
  }
  return emitter.create("offset", {value, offset}, value.getType());
}

Place Evaluator::elementAt(const ArraySubscriptExpr *subscript) {
  Leaf base = evaluateLeaf(subscript->getBase());
  const Expr *index = subscript->getIdx();
  Leaf moved = offsetPointer(base, subscript->getBase()->getType(), evaluateScalar(index), index->getType());
  return target(moved, subscript->getType());
}

Leaves Evaluator::evaluateBinary(const BinaryOperator *op) {
  BinaryOperatorKind kind = op->getOpcode();
  const Expr *left = op->getLHS(), *right = op->getRHS();
  if (op->isAssignmentOp())
    return load(assign(op));
  if (op->isLogicalOp())
    return evaluateLogical(op);
  if (kind == BO_Comma) {
    perform(left);
    return evaluate(right);
  }
  QualType leftType = left->getType(), rightType = right->getType();
  bool leftIsPointer = leftType->isPointerType() || leftType->isNullPtrType();
  bool rightIsPointer = rightType->isPointerType() || rightType->isNullPtrType();
  Leaf a = evaluateLeaf(left), b = evaluateLeaf(right);
  if (op->isAdditiveOp() && leftIsPointer != rightIsPointer) {
    if (rightIsPointer)
      return {offsetPointer(b, rightType, valueOf(a), leftType)};
    mlir::Value offset = valueOf(b);
    QualType type = rightType;
    if (kind == BO_Sub) {
      offset = emitter.convertElements(offset, type, ast.LongTy);
      type = ast.LongTy;
      offset = buildElementwise(emitter, "neg", offset, true);
    }
    return {offsetPointer(a, leftType, offset, type)};
  }
  if (leftIsPointer && a.place && b.place && !a.place->index && !b.place->index && op->isComparisonOp()) {
    int order = a.place->slot < b.place->slot ? -1 : a.place->slot > b.place->slot;
    bool result = BinaryOperator::isEqualityOp(kind) ? (order == 0) == (kind == BO_EQ)
                  : kind == BO_LT || kind == BO_LE   ? order < 0 || (order == 0 && kind == BO_LE)
                                                     : order > 0 || (order == 0 && kind == BO_GE);
    return {Leaf(emitter.boolean(result))};
  }
  mlir::Value x = valueOf(a), y = valueOf(b);
  if (leftIsPointer) {
    x = emitter.convertElements(x, leftType, ast.UnsignedLongTy);
    y = emitter.convertElements(y, rightType, ast.UnsignedLongTy);
    if (op->isComparisonOp())
      return {Leaf(arithmetic(kind, x, y, ast.UnsignedLongTy, ast.UnsignedLongTy))};
    mlir::Value bytes = buildElementwise(emitter, "sub", {x, y}, false);
    mlir::Value size = emitter.integer(ast.getTypeSizeInChars(leftType->getPointeeType()).getQuantity(), tileTypeOf(x));
    return {Leaf(buildElementwise(emitter, "div", {bytes, size}, true))};
  }
  return {Leaf(arithmetic(kind, x, y, leftType, rightType))};
}

Place Evaluator::assign(const BinaryOperator *op) {
  const auto *compound = dyn_cast<CompoundAssignOperator>(op);
  if (!compound) {
    Leaves value = evaluate(op->getRHS());
    Place object = place(op->getLHS());
    store(object, value);
    return object;
  }
  BinaryOperatorKind kind = BinaryOperator::getOpForCompoundAssignment(op->getOpcode());
  QualType type = op->getLHS()->getType(), rightType = op->getRHS()->getType();
  mlir::Value right = evaluateScalar(op->getRHS());
  Place object = place(op->getLHS());
  Leaf before = load(object).front();
  if (type->isPointerType()) {
    if (kind == BO_Sub)
      right = buildElementwise(emitter, "neg", emitter.convertElements(right, rightType, ast.LongTy), true);
    store(object, {offsetPointer(before, type, right, kind == BO_Sub ? ast.LongTy : rightType)});
    return object;
  }
  mlir::Value left = valueOf(before);
  if (!left)
    left = emitter.zero(layout.tileType(type));
  QualType computed = compound->getComputationLHSType();
  left = emitter.convertElements(left, type, computed);
  mlir::Value result = arithmetic(kind, left, right, computed, rightType);
  store(object, {Leaf(emitter.convertElements(result, compound->getComputationResultType(), type))});
  return object;
}

// ---- operators that evaluate one of their operands ---------------------------------------------------------------

Leaves Evaluator::evaluateLogical(const BinaryOperator *op) {
  bool isAnd = op->getOpcode() == BO_LAnd;
  Place result = allocate(ast.BoolTy);
  auto right = [&]() { store(result, evaluate(op->getRHS())); };
  auto known = [&]() { store(result, {Leaf(emitter.boolean(!isAnd))}); };
  if (isAnd)
    branch(evaluateCondition(op->getLHS()), right, known);
  else
    branch(evaluateCondition(op->getLHS()), known, right);
  return load(result);
}

Leaves Evaluator::evaluateConditional(const AbstractConditionalOperator *op) {
  if (isAssertion(op)) {
    evaluateAssertion(op);
    return {};
  }
  Place result = allocate(op->getType());
  auto take = [&](const Expr *expr) {
    return [this, &result, expr]() { inScope([&]() { store(result, evaluate(expr)); }); };
  };
  branch(evaluateCondition(op->getCond()), take(op->getTrueExpr()), take(op->getFalseExpr()));
  return load(result);
}

} // namespace tilewright::cpp
