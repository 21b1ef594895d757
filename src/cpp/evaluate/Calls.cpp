// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions and constructors, evaluated where they are.
#include "cpp/evaluate/Bodies.h"
#include "cpp/evaluate/Evaluator.h"
#include "cpp/values/Annotations.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace tilewright::cpp {

Leaves Evaluator::call(const CallExpr *expr) {
  if (isa<CUDAKernelCallExpr>(expr))
    refuse("a kernel cannot be launched by tile code");
  if (isa<CXXPseudoDestructorExpr>(expr->getCallee()->IgnoreParens()))
    return {};
  const FunctionDecl *function = expr->getDirectCallee();
  if (!function)
    refuse("tile code cannot call through pointers to functions");
  // A builtin function of constants is one, such as __builtin_huge_val().
  if (unsigned builtin = function->getBuiltinID(); builtin && ast.BuiltinInfo.isConst(builtin)) {
    Expr::EvalResult result;
    if (expr->EvaluateAsRValue(result, ast) && !result.HasSideEffects)
      return constantLeaves(result.Val, expr->getType());
  }
  SmallVector<const Expr *> arguments(expr->arguments());
  std::optional<Place> self;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(expr)) {
    const Expr *object = member->getImplicitObjectArgument();
    self = object->getType()->isPointerType() ? target(evaluateLeaf(object), object->getType()->getPointeeType())
                                              : place(object);
  } else if (const auto *method = dyn_cast<CXXMethodDecl>(function);
             method && method->isInstance() && isa<CXXOperatorCallExpr>(expr)) {
    self = place(arguments.front());
    arguments.erase(arguments.begin());
  }
  return callFunction(function, self, arguments);
}

Leaves Evaluator::callFunction(const FunctionDecl *function, std::optional<Place> self,
                               ArrayRef<const Expr *> arguments) {
  if (isOperation(function))
    return callOperation(function, arguments);
  if (std::optional<Leaves> result = callBuiltin(function, arguments))
    return *result;
  auto name = [&]() { return "'" + function->getNameAsString() + "'"; };
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (method && method->isTrivial() && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
    store(*self, load(place(arguments.front())));
    return {Leaf(*self)};
  }
  if (isKernel(function))
    refuse("the kernel " + name() + " cannot be called by tile code");
  if (method && method->isVirtual())
    refuse("tile code cannot call virtual functions");
  if (function->isVariadic())
    refuse("tile code cannot call " + name() + ", which has variadic arguments");
  const FunctionDecl *definition = nullptr;
  if (!function->hasBody(definition))
    refuse("the function " + name() + " has no definition in this translation unit, which tile code needs");
  checkSpace(function);
  for (const Frame *outer = frame; outer; outer = outer->caller)
    if (outer->function->getCanonicalDecl() == function->getCanonicalDecl())
      refuse("tile code cannot call " + name() + " recursively: every call is evaluated where it is");

  Frame called;
  called.function = definition;
  called.self = self;
  if (method && method->getParent()->isLambda() && method->getOverloadedOperator() == OO_Call)
    bindCaptures(called, *self);
  bindParameters(called, arguments);
  Frame *caller = frame;
  enter(called);
  // Hints are for what is written in the statement itself, of the library's functions.
  llvm::SaveAndRestore hints(emitter.hints, called.scope ? cuda_tile::OptimizationHintsAttr() : emitter.hints);
  Leaves result = runBody(called);
  destroyParameters(called);
  frame = caller;
  return result;
}

// Whether nvcc lets tile code call it, too.
static bool isTileFunction(const FunctionDecl *function) {
  const auto *method = dyn_cast<CXXMethodDecl>(function);
  if (function->isImplicit() || function->isDefaulted() || (method && method->getParent()->isLambda()))
    return true;
  // A braced list of the language has these.
  if (method && method->getParent()->isInStdNamespace() && method->getParent()->getName() == "initializer_list")
    return true;
  const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
  return isAnnotated(function, "tile") || isAnnotated(function->getCanonicalDecl(), "tile") ||
         (pattern && isAnnotated(pattern, "tile"));
}

void Evaluator::checkSpace(const FunctionDecl *function) {
  if (!frame->scope || isTileFunction(function) || !checkedCalls.insert({at, function}).second)
    return;
  DiagnosticsEngine &diagnostics = ast.getDiagnostics();
  unsigned id = diagnostics.getDiagnosticIDs()->getCustomDiagID(
      {diag::Severity::Error, "tile code calls %0, which is not a __tile__ function", DiagnosticIDs::CLASS_WARNING,
       /*ShowInSystemHeader=*/true, /*ShowInSystemMacro=*/true, diag::Group::CudaCompat});
  diagnostics.Report(at, id) << function;
  SourceLocation begins = function->getInnerLocStart();
  if (!ast.getSourceManager().isInSystemHeader(begins))
    diagnostics.Report(begins, diagnostics.getCustomDiagID(DiagnosticsEngine::Note, "declare it with __tile__"))
        << FixItHint::CreateInsertion(begins, "__tile__ ");
}

void Evaluator::destroyParameters(const Frame &called) {
  for (const ParmVarDecl *parameter : llvm::reverse(called.function->parameters()))
    if (parameter->getType().isDestructedType() == QualType::DK_cxx_destructor && isAlive)
      destroy(called.variables.lookup(parameter));
}

void Evaluator::bindParameters(Frame &called, ArrayRef<const Expr *> arguments) {
  for (auto [parameter, argument] : llvm::zip(called.function->parameters(), arguments)) {
    QualType type = parameter->getType();
    Place bound;
    if (type->isReferenceType()) {
      bound = place(argument);
      bound.type = type->getPointeeType();
    } else {
      bound = allocate(type);
      initializeAt(argument, bound);
    }
    called.variables[parameter] = bound;
  }
}

void Evaluator::bindCaptures(Frame &called, const Place &closure) {
  const auto *lambda = cast<CXXRecordDecl>(cast<CXXMethodDecl>(called.function)->getParent());
  llvm::DenseMap<const ValueDecl *, FieldDecl *> fields;
  FieldDecl *self = nullptr;
  lambda->getCaptureFields(fields, self);
  for (auto [variable, field] : fields)
    called.variables[variable] = fieldOf(closure, field);
  if (!self)
    return;
  // `this` in the body is the object around the lambda, or a copy of it.
  Place captured = fieldOf(closure, self);
  called.self =
      self->getType()->isPointerType() ? target(load(captured).front(), self->getType()->getPointeeType()) : captured;
}

Leaves Evaluator::runBody(Frame &called) {
  QualType type = called.function->getReturnType();
  Place result = allocate(type);
  called.result = result.slot;
  called.outerObjects = destroyed.size();
  const Stmt *body = called.function->getBody();
  Target end{Target::Scope};
  if (returnsEarly(body)) {
    called.target = &end;
    scope(end, [&]() { execute(body); });
  } else {
    execute(body);
  }
  Leaves leaves;
  for (unsigned i = 0, count = leafCount(type); i < count; ++i)
    leaves.push_back(slots[result.slot + i]);
  return leaves;
}

// ---- constructors --------------------------------------------------------------------------------------

Leaves Evaluator::construct(const CXXConstructExpr *expr) {
  Place self = allocate(expr->getType());
  constructAt(expr, self);
  return load(self);
}

void Evaluator::constructAt(const CXXConstructExpr *expr, const Place &self) {
  const CXXConstructorDecl *constructor = expr->getConstructor();
  if (constructor->isTrivial() && constructor->isCopyOrMoveConstructor())
    return store(self, load(place(expr->getArg(0))));
  if (expr->requiresZeroInitialization())
    store(self, zeroLeaves(expr->getType()));
  if (constructor->isTrivial())
    return;
  const auto *array = dyn_cast_or_null<ConstantArrayType>(ast.getAsArrayType(expr->getType()));
  SmallVector<const Expr *> arguments(expr->arguments());
  if (!array)
    return runConstructor(constructor, arguments, self);
  Place element = self;
  element.type = array->getElementType();
  for (uint64_t i = 0; i < array->getZExtSize(); ++i) {
    runConstructor(constructor, arguments, element);
    element.slot += leafCount(element.type);
  }
}

void Evaluator::initializeAt(const Expr *init, const Place &at) {
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(init))
    return inScope([&]() { initializeAt(cleanups->getSubExpr(), at); });
  // The object has a longer life than a temporary one.
  if (const auto *temporary = dyn_cast<CXXBindTemporaryExpr>(init))
    return initializeAt(temporary->getSubExpr(), at);
  if (const auto *construction = dyn_cast<CXXConstructExpr>(init); construction && !at.isInMemory()) {
    At location(*this, init->getExprLoc());
    return constructAt(construction, at);
  }
  store(at, evaluate(init));
}

void Evaluator::runConstructor(const CXXConstructorDecl *constructor, ArrayRef<const Expr *> arguments,
                               const Place &self) {
  const FunctionDecl *definition = nullptr;
  if (!constructor->hasBody(definition))
    refuse("the constructor of '" + constructor->getParent()->getNameAsString() +
           "' has no definition in this translation unit, which tile code needs");
  checkSpace(constructor);
  Frame called;
  called.function = definition;
  called.self = self;
  bindParameters(called, arguments);
  Frame *caller = frame;
  enter(called);
  for (const CXXCtorInitializer *init : cast<CXXConstructorDecl>(definition)->inits()) {
    Place part = self;
    part.type = ast.getCanonicalTagType(constructor->getParent());
    if (const FieldDecl *field = init->getAnyMember()) {
      if (field->getType()->isReferenceType()) {
        slots.write(self.slot + layout.fieldOffset(field), Leaf(place(init->getInit())));
        continue;
      }
      part = fieldOf(part, field);
    } else if (init->isBaseInitializer()) {
      part = baseOf(part, init->getBaseClass()->getAsCXXRecordDecl());
    }
    initializeAt(init->getInit(), part);
  }
  runBody(called);
  destroyParameters(called);
  frame = caller;
}

} // namespace tilewright::cpp
