// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions by their class.
#include "cpp/evaluate/Evaluator.h"
#include "cpp/values/Annotations.h"

using namespace clang;

namespace tilewright::cpp {

Leaf Evaluator::evaluateLeaf(const Expr *expr) {
  Leaves leaves = evaluate(expr);
  if (leaves.size() != 1)
    refuse(expr->getExprLoc(), "expected one value, found an object of type '" + expr->getType().getAsString() + "'");
  Leaf leaf = leaves.front();
  // A leaf that was never written reads as 0.
  if (!leaf.isSet() && layout.elementType(layout.element(expr->getType())))
    leaf = emitter.zero(layout.tileType(expr->getType()));
  return leaf;
}

mlir::Value Evaluator::evaluateCondition(const Expr *expr) {
  At place(*this, expr->getExprLoc());
  return evaluateScalar(expr);
}

void Evaluator::perform(const Expr *expr) {
  At at(*this, expr->getExprLoc());
  expr = expr->IgnoreParens();
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(expr))
    return inScope([&]() { perform(cleanups->getSubExpr()); });
  if (const auto *cast = dyn_cast<CastExpr>(expr); cast && cast->getCastKind() == CK_ToVoid)
    return perform(cast->getSubExpr());
  if (expr->isGLValue())
    place(expr);
  else
    evaluate(expr);
}

Leaves Evaluator::evaluate(const Expr *expr) {
  At at(*this, expr->getExprLoc());
  if (expr->isGLValue())
    return load(place(expr));
  QualType type = expr->getType();
  auto constant = [&]() {
    Expr::EvalResult result;
    if (!expr->EvaluateAsRValue(result, ast, /*InConstantContext=*/true) || result.HasSideEffects)
      refuse("the value of this expression is not known to the compiler");
    return constantLeaves(result.Val, type);
  };
  switch (expr->getStmtClass()) {
  case Stmt::IntegerLiteralClass:
  case Stmt::FloatingLiteralClass:
  case Stmt::CXXBoolLiteralExprClass:
  case Stmt::CharacterLiteralClass:
  case Stmt::UnaryExprOrTypeTraitExprClass:
  case Stmt::TypeTraitExprClass:
  case Stmt::SizeOfPackExprClass:
  case Stmt::ConceptSpecializationExprClass:
  case Stmt::RequiresExprClass:
  case Stmt::CXXNoexceptExprClass:
  case Stmt::OffsetOfExprClass:
    return constant();
  case Stmt::CXXNullPtrLiteralExprClass:
  case Stmt::ImplicitValueInitExprClass:
  case Stmt::CXXScalarValueInitExprClass:
  case Stmt::GNUNullExprClass:
    return zeroLeaves(type);
  case Stmt::ConstantExprClass: {
    const auto *wrapped = cast<ConstantExpr>(expr);
    if (wrapped->hasAPValueResult())
      return constantLeaves(wrapped->getAPValueResult(), type);
    return evaluate(wrapped->getSubExpr());
  }
  case Stmt::ParenExprClass:
    return evaluate(cast<ParenExpr>(expr)->getSubExpr());
  case Stmt::ExprWithCleanupsClass: {
    Leaves result;
    inScope([&]() { result = evaluate(cast<ExprWithCleanups>(expr)->getSubExpr()); });
    return result;
  }
  case Stmt::CXXBindTemporaryExprClass: {
    Place object = allocate(type);
    initializeAt(expr, object);
    destroyLater(object);
    return load(object);
  }
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return evaluate(cast<SubstNonTypeTemplateParmExpr>(expr)->getReplacement());
  case Stmt::CXXDefaultArgExprClass:
    return evaluate(cast<CXXDefaultArgExpr>(expr)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return evaluate(cast<CXXDefaultInitExpr>(expr)->getExpr());
  case Stmt::CXXRewrittenBinaryOperatorClass:
    return evaluate(cast<CXXRewrittenBinaryOperator>(expr)->getSemanticForm());
  case Stmt::CXXThisExprClass:
    return {Leaf(*frame->self)};
  case Stmt::DeclRefExprClass: // of an enumerator
    if (const auto *enumerator = dyn_cast<EnumConstantDecl>(cast<DeclRefExpr>(expr)->getDecl()))
      return constantLeaves(APValue(enumerator->getInitVal()), type);
    return constant();
  case Stmt::UnaryOperatorClass:
    return evaluateUnary(cast<UnaryOperator>(expr));
  case Stmt::BinaryOperatorClass:
  case Stmt::CompoundAssignOperatorClass:
    return evaluateBinary(cast<BinaryOperator>(expr));
  case Stmt::ConditionalOperatorClass:
    return evaluateConditional(cast<ConditionalOperator>(expr));
  case Stmt::InitListExprClass:
    return evaluateInitList(cast<InitListExpr>(expr));
  case Stmt::CXXParenListInitExprClass: {
    if (!type->isRecordType())
      refuse("tile code initializes arrays with braces");
    Leaves result;
    for (const Expr *init : cast<CXXParenListInitExpr>(expr)->getInitExprs())
      result.append(init->isGLValue() ? Leaves{Leaf(place(init))} : evaluate(init));
    return result;
  }
  case Stmt::LambdaExprClass:
    return evaluateLambda(cast<LambdaExpr>(expr));
  case Stmt::CXXStdInitializerListExprClass:
    return evaluateInitializerList(cast<CXXStdInitializerListExpr>(expr));
  case Stmt::CXXConstructExprClass:
  case Stmt::CXXTemporaryObjectExprClass:
    return construct(cast<CXXConstructExpr>(expr));
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
  case Stmt::UserDefinedLiteralClass:
  case Stmt::CUDAKernelCallExprClass:
    return call(cast<CallExpr>(expr));
  case Stmt::CXXThrowExprClass:
    refuse("tile code cannot throw exceptions");
  case Stmt::CXXNewExprClass:
  case Stmt::CXXDeleteExprClass:
    refuse("tile code cannot allocate or free memory");
  case Stmt::CXXTypeidExprClass:
  case Stmt::CXXDynamicCastExprClass:
    refuse("tile code has no run-time type information");
  default:
    break;
  }
  if (const auto *cast = dyn_cast<CastExpr>(expr))
    return evaluateCast(cast);
  refuse("tile code cannot have an expression of this kind (" + llvm::Twine(expr->getStmtClassName()) + ")");
}

// ---- where objects are ----------------------------------------------------------------------------------

Place Evaluator::place(const Expr *expr) {
  At at(*this, expr->getExprLoc());
  if (!expr->isGLValue())
    return materialize(evaluate(expr), expr->getType());
  switch (expr->getStmtClass()) {
  case Stmt::ParenExprClass:
    return place(cast<ParenExpr>(expr)->getSubExpr());
  case Stmt::ExprWithCleanupsClass:
    return place(cast<ExprWithCleanups>(expr)->getSubExpr());
  case Stmt::ConstantExprClass:
    return place(cast<ConstantExpr>(expr)->getSubExpr());
  case Stmt::SubstNonTypeTemplateParmExprClass:
    return place(cast<SubstNonTypeTemplateParmExpr>(expr)->getReplacement());
  case Stmt::CXXDefaultArgExprClass:
    return place(cast<CXXDefaultArgExpr>(expr)->getExpr());
  case Stmt::CXXDefaultInitExprClass:
    return place(cast<CXXDefaultInitExpr>(expr)->getExpr());
  case Stmt::MaterializeTemporaryExprClass: {
    const Expr *value = cast<MaterializeTemporaryExpr>(expr)->getSubExpr();
    Place object = allocate(value->getType());
    initializeAt(value, object);
    if (isa<CXXBindTemporaryExpr>(value))
      destroyLater(object);
    return object;
  }
  case Stmt::DeclRefExprClass:
    return placeOfDeclaration(cast<DeclRefExpr>(expr)->getDecl());
  case Stmt::MemberExprClass:
    return placeOfMember(cast<MemberExpr>(expr));
  case Stmt::ArraySubscriptExprClass:
    return elementAt(cast<ArraySubscriptExpr>(expr));
  case Stmt::CompoundAssignOperatorClass:
    return assign(cast<BinaryOperator>(expr));
  case Stmt::BinaryOperatorClass: {
    const auto *op = cast<BinaryOperator>(expr);
    if (op->getOpcode() == BO_Assign)
      return assign(op);
    if (op->getOpcode() == BO_Comma) {
      perform(op->getLHS());
      return place(op->getRHS());
    }
    break;
  }
  case Stmt::UnaryOperatorClass: {
    const auto *op = cast<UnaryOperator>(expr);
    if (op->getOpcode() == UO_Deref)
      return target(evaluateLeaf(op->getSubExpr()), op->getType());
    if (op->isIncrementDecrementOp())
      return increment(op);
    break;
  }
  case Stmt::ConditionalOperatorClass: {
    const auto *op = cast<ConditionalOperator>(expr);
    Place result = allocate(ast.getLValueReferenceType(op->getType()));
    branch(
        evaluateCondition(op->getCond()), [&]() { slots.write(result.slot, Leaf(place(op->getTrueExpr()))); },
        [&]() { slots.write(result.slot, Leaf(place(op->getFalseExpr()))); });
    return target(slots[result.slot], op->getType());
  }
  case Stmt::CallExprClass:
  case Stmt::CXXMemberCallExprClass:
  case Stmt::CXXOperatorCallExprClass:
    return target(call(cast<CallExpr>(expr)).front(), expr->getType());
  case Stmt::CXXTypeidExprClass:
    refuse("tile code has no run-time type information");
  case Stmt::StringLiteralClass:
    refuse("tile code can have a string only as the format of printf");
  default:
    break;
  }
  if (const auto *conversion = dyn_cast<CastExpr>(expr)) {
    switch (conversion->getCastKind()) {
    case CK_NoOp:
    case CK_LValueBitCast: {
      Place result = place(conversion->getSubExpr());
      if (conversion->getCastKind() == CK_LValueBitCast && !result.isInMemory())
        refuse("a local object cannot be accessed as one of another type");
      result.type = conversion->getType();
      return result;
    }
    case CK_DerivedToBase:
    case CK_UncheckedDerivedToBase: {
      Place result = place(conversion->getSubExpr());
      for (const CXXBaseSpecifier *base : conversion->path())
        result = baseOf(result, base->getType()->getAsCXXRecordDecl());
      return result;
    }
    default:
      break;
    }
  }
  refuse("tile code cannot have an expression of this kind (" + llvm::Twine(expr->getStmtClassName()) + ")");
}

Place Evaluator::placeOfDeclaration(const ValueDecl *decl) {
  if (const auto *binding = dyn_cast<BindingDecl>(decl)) {
    if (const VarDecl *holder = binding->getHoldingVar())
      return placeOfDeclaration(holder);
    return place(binding->getBinding());
  }
  if (auto known = frame->variables.find(decl); known != frame->variables.end())
    return known->second;
  if (auto known = globals.find(decl); known != globals.end())
    return known->second;
  if (const auto *object = dyn_cast<TemplateParamObjectDecl>(decl)) {
    Place result = allocate(object->getType());
    for (auto [i, leaf] : llvm::enumerate(constantLeaves(object->getValue(), object->getType())))
      slots.define(result.slot + i, leaf);
    return globals[decl] = result;
  }
  if (isa<FunctionDecl>(decl))
    refuse("tile code cannot have pointers to functions");
  const auto *variable = dyn_cast<VarDecl>(decl);
  if (!variable)
    refuse("'" + decl->getNameAsString() + "' cannot be used in tile code");
  const VarDecl *definition = variable->getInitializingDeclaration();
  const APValue *value = definition && variable->getType().isConstQualified() ? definition->evaluateValue() : nullptr;
  if (!value && variable->getType()->isReferenceType() && definition)
    return place(definition->getInit());
  if (!value && (isAnnotated(decl, "tile") || variable->isStaticLocal()))
    return globals[decl] = placeOfGlobal(variable);
  if (!value)
    refuse("'" + decl->getNameAsString() +
           "' is a variable of the host: tile code can use it only if it is constexpr, or const with a constant value");
  Place result = allocate(variable->getType());
  for (auto [i, leaf] : llvm::enumerate(constantLeaves(*value, variable->getType())))
    slots.define(result.slot + i, leaf);
  return globals[decl] = result;
}

Place Evaluator::placeOfMember(const MemberExpr *member) {
  const ValueDecl *decl = member->getMemberDecl();
  const auto *field = dyn_cast<FieldDecl>(decl);
  if (!field) {
    perform(member->getBase());
    return placeOfDeclaration(decl);
  }
  QualType objectType = member->getBase()->getType();
  Place object = member->isArrow() ? target(evaluateLeaf(member->getBase()), objectType->getPointeeType())
                                   : place(member->getBase());
  return fieldOf(object, field);
}

// ---- aggregates -------------------------------------------------------------------------------------------

Leaves Evaluator::zeroLeaves(QualType type) {
  SmallVector<mlir::Type> types;
  leafCount(type);
  layout.appendLeafTypes(type, types);
  Leaves result;
  for (mlir::Type leaf : types)
    result.push_back(leaf ? Leaf(emitter.zero(mlir::cast<cuda_tile::TileType>(leaf))) : Leaf());
  return result;
}

Leaves Evaluator::evaluateInitList(const InitListExpr *list) {
  if (list->isTransparent() || (layout.isLeaf(list->getType()) && list->getNumInits() == 1))
    return evaluate(list->getInit(0));
  Leaves result;
  for (const Expr *init : list->inits()) {
    // A member that is a reference is bound, not copied.
    if (init->isGLValue())
      result.push_back(Leaf(place(init)));
    else
      result.append(evaluate(init));
  }
  if (const auto *array = dyn_cast_or_null<ConstantArrayType>(ast.getAsArrayType(list->getType())))
    for (uint64_t i = list->getNumInits(); i < array->getZExtSize(); ++i)
      result.append(list->hasArrayFiller() ? evaluate(list->getArrayFiller()) : zeroLeaves(array->getElementType()));
  return result;
}

Leaves Evaluator::evaluateInitializerList(const CXXStdInitializerListExpr *list) {
  // A class of a pointer and a number.
  Place array = place(list->getSubExpr());
  const auto *type = cast<ConstantArrayType>(ast.getAsArrayType(list->getSubExpr()->getType()));
  Place first = array;
  first.type = type->getElementType();
  first.elements = type->getZExtSize();
  auto size = cuda_tile::TileType::get({}, emitter.builder.getI64Type());
  return {Leaf(first), Leaf(emitter.integer(type->getZExtSize(), size))};
}

Leaves Evaluator::evaluateLambda(const LambdaExpr *lambda) {
  Leaves result;
  for (auto [capture, init] : llvm::zip_equal(lambda->captures(), lambda->capture_inits())) {
    if (!init)
      refuse(capture.getLocation(), "a lambda of tile code cannot have this capture");
    if (capture.getCaptureKind() == LCK_ByRef)
      result.push_back(Leaf(place(init)));
    else
      result.append(evaluate(init));
  }
  return result;
}

} // namespace tilewright::cpp
