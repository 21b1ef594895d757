// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of the language: those that count become a `for`, those over local arrays are unrolled.
#include "cpp/evaluate/Bodies.h"
#include "cpp/evaluate/Evaluator.h"
#include "cpp/values/Annotations.h"
#include "cpp/values/Fold.h"

using namespace clang;

namespace tilewright::cpp {

static constexpr unsigned mostIterations = 1024;

void Evaluator::executeLoop(LoopTest test, const Stmt *whole, llvm::function_ref<void()> body,
                            llvm::function_ref<void()> next) {
  auto declareAndTest = [&]() {
    executeDeclaration(test.declared);
    branch(evaluateCondition(test.condition), body, [&]() { executeBreak(); });
  };
  loop(
      {}, whole,
      [&](mlir::Value) {
        if (test.declared)
          return inScope(declareAndTest);
        if (test.condition)
          branch(evaluateCondition(test.condition), []() {}, [&]() { jump(*targets.back(), false); });
        if (isAlive)
          body();
      },
      next);
}

void Evaluator::executeDo(const DoStmt *stmt) {
  loop(
      {}, stmt, [&](mlir::Value) { execute(stmt->getBody()); },
      [&]() { branch(evaluateCondition(stmt->getCond()), []() {}, [&]() { jump(*targets.back(), false); }); });
}

void Evaluator::unroll(const Expr *test, llvm::function_ref<void()> body, llvm::function_ref<void()> next,
                       const Stmt *text) {
  auto iterate = [&]() {
    for (unsigned i = 0; isAlive; ++i) {
      std::optional<llvm::APInt> isTrue = constantInteger(evaluateCondition(test));
      if (!isTrue)
        refuse("the number of iterations has to be known to the compiler: the loop uses local objects by index");
      if (isTrue->isZero())
        return;
      if (i == mostIterations)
        refuse("a loop that uses local objects by index can have " + llvm::Twine(mostIterations) +
               " iterations at most");
      if (hasJumps(text)) {
        Target end{Target::Scope};
        end.takesContinue = true;
        scope(end, body);
      } else {
        body();
      }
      if (isAlive)
        next();
    }
  };
  if (!hasJumps(text))
    return iterate();
  Target end{Target::Scope};
  end.takesBreak = true;
  scope(end, iterate);
}

// ---- ranges -----------------------------------------------------------------------------------------------

void Evaluator::executeRangeFor(const CXXForRangeStmt *stmt) {
  execute(stmt->getInit());
  const VarDecl *variable = stmt->getLoopVariable();
  QualType range = stmt->getRangeInit()->getType();
  if (isRange(range) && !leavesLoop(stmt->getBody()) && !variable->getType()->isReferenceType()) {
    Leaves bounds = evaluate(stmt->getRangeInit());
    QualType counted =
        cast<ClassTemplateSpecializationDecl>(range->getAsCXXRecordDecl())->getTemplateArgs()[0].getAsType();
    LoopHeader header{valueOf(bounds[0]), valueOf(bounds[1]), valueOf(bounds[2]), layout.isSigned(counted)};
    return executeCounted(header, variable, counted, stmt, stmt->getBody());
  }
  for (const Stmt *part : {stmt->getRangeStmt(), stmt->getBeginStmt(), stmt->getEndStmt()})
    execute(part);
  auto body = [&]() {
    execute(stmt->getLoopVarStmt());
    execute(stmt->getBody());
  };
  auto next = [&]() { perform(stmt->getInc()); };
  // Local objects have no address that an iteration could choose.
  const auto *begin = cast<VarDecl>(cast<DeclStmt>(stmt->getBeginStmt())->getSingleDecl());
  bool isLocal = llvm::any_of(load(frame->variables[begin]), [](const Leaf &leaf) { return leaf.place.has_value(); });
  if (isLocal)
    unroll(stmt->getCond(), body, next, stmt->getBody());
  else
    executeLoop({stmt->getCond()}, stmt, body, next);
}

void Evaluator::executeCounted(const LoopHeader &header, const VarDecl *variable, QualType counted, const Stmt *whole,
                               const Stmt *body) {
  loop(
      header, whole,
      [&](mlir::Value index) {
        mlir::Value value = emitter.convertElements(index, counted, variable->getType());
        frame->variables[variable] = materialize({Leaf(value)}, variable->getType());
        execute(body);
      },
      []() {});
}

// ---- for ------------------------------------------------------------------------------------------------------

namespace {

/// for (T i = a; i < b; i += c)
struct Counting {
  const VarDecl *variable = nullptr;
  const Expr *bound = nullptr;
  bool isInclusive = false;
  const Expr *step = nullptr; // null: one
};

bool isVariable(const Expr *expr, const VarDecl *variable) {
  const auto *reference = dyn_cast<DeclRefExpr>(expr->IgnoreParens());
  return reference && reference->getDecl() == variable;
}

// A variable as it is, not converted.
bool readsVariable(const Expr *expr, const VarDecl *variable) {
  const auto *conversion = dyn_cast<ImplicitCastExpr>(expr->IgnoreParens());
  return conversion && conversion->getCastKind() == CK_LValueToRValue && isVariable(conversion->getSubExpr(), variable);
}

std::optional<Counting> findCounting(const ForStmt *stmt) {
  Counting result;
  const auto *init = dyn_cast_or_null<DeclStmt>(stmt->getInit());
  result.variable = init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  if (!result.variable || !result.variable->getType()->isIntegerType() || !result.variable->hasInit() ||
      !stmt->getInc())
    return std::nullopt;

  const auto *test = dyn_cast_or_null<BinaryOperator>(stmt->getCond() ? stmt->getCond()->IgnoreParens() : nullptr);
  if (!test || (test->getOpcode() != BO_LT && test->getOpcode() != BO_LE) ||
      !readsVariable(test->getLHS(), result.variable))
    return std::nullopt;
  // The largest integer of a signed type ends no such loop; an unsigned one wraps.
  result.isInclusive = test->getOpcode() == BO_LE;
  if (result.isInclusive && !result.variable->getType()->isSignedIntegerType())
    return std::nullopt;
  result.bound = test->getRHS();

  const Expr *next = stmt->getInc()->IgnoreParens();
  if (const auto *one = dyn_cast<UnaryOperator>(next))
    return one->isIncrementOp() && isVariable(one->getSubExpr(), result.variable) ? std::optional(result)
                                                                                  : std::nullopt;
  const auto *add = dyn_cast<CompoundAssignOperator>(next);
  if (!add || add->getOpcode() != BO_AddAssign || !isVariable(add->getLHS(), result.variable))
    return std::nullopt;
  result.step = add->getRHS();
  return result;
}

} // namespace

// Names that the loop does not change, in arithmetic. Calls might read memory.
bool Evaluator::isInvariant(const Expr *expr, const Stmt *loop) {
  Uses inLoop = findUses(loop), inExpr = findUses(expr);
  if (!inExpr.changed.empty() || inExpr.usesThis)
    return false;
  if (llvm::any_of(inExpr.read, [&](const ValueDecl *decl) {
        return inLoop.changed.contains(decl) || isa<BindingDecl>(decl) || decl->getType()->isReferenceType();
      }))
    return false;
  std::function<bool(const Stmt *)> isPlain = [&](const Stmt *part) {
    if (isa<CallExpr, ArraySubscriptExpr, LambdaExpr>(part))
      return cast<Expr>(part)->isCXX11ConstantExpr(ast);
    if (const auto *op = dyn_cast<UnaryOperator>(part); op && op->getOpcode() == UO_Deref)
      return false;
    return llvm::all_of(part->children(), isPlain);
  };
  return isPlain(expr);
}

void Evaluator::executeFor(const ForStmt *stmt) {
  const Stmt *body = stmt->getBody();
  std::optional<Counting> counting = findCounting(stmt);
  QualType type = counting ? counting->variable->getType() : QualType();
  bool isCounted = counting && !findUses(body).changed.contains(counting->variable) &&
                   isInvariant(counting->bound, stmt) && ast.hasSameUnqualifiedType(counting->bound->getType(), type) &&
                   (!counting->step || counting->step->isCXX11ConstantExpr(ast));
  execute(stmt->getInit());
  auto next = [&]() {
    if (stmt->getInc())
      perform(stmt->getInc());
  };
  // Loops of the library are over what types have; those over a local array know its elements.
  auto countsToConstant = [&]() {
    auto first = constantInteger(valueOf(load(frame->variables[counting->variable]).front()));
    auto last = constantInteger(evaluateScalar(counting->bound));
    return first && last && (*last - *first).slt(mostIterations);
  };
  LoopTest test{stmt->getCond(), stmt->getConditionVariable()};
  if (stmt->getCond() && !test.declared &&
      (!frame->scope || (isCounted && indexesArray(body, counting->variable) && countsToConstant())))
    return unroll(stmt->getCond(), [&]() { execute(body); }, next, body);
  if (!isCounted || leavesLoop(body))
    return executeLoop(test, stmt, [&]() { execute(body); }, next);

  LoopHeader header;
  header.isSigned = layout.isSigned(type);
  header.lower = valueOf(load(frame->variables[counting->variable]).front());
  header.upper = evaluateScalar(counting->bound);
  mlir::Value one = emitter.integer(1, tileTypeOf(header.lower));
  if (counting->isInclusive)
    header.upper = emitter.create("addi", {header.upper, one}, one.getType());
  header.step = one;
  if (counting->step)
    header.step = emitter.convertElements(evaluateScalar(counting->step), counting->step->getType(), type);
  std::optional<llvm::APInt> step = constantInteger(header.step);
  if (!step || !step->isStrictlyPositive())
    return executeLoop(test, stmt, [&]() { execute(body); }, next);
  executeCounted(header, counting->variable, type, stmt, body);
}

// ---- what a loop changes ----------------------------------------------------------------------------------------

void Evaluator::addReferredSlots(unsigned first, unsigned count, llvm::SetVector<unsigned> &found) {
  for (unsigned slot = first; slot < first + count; ++slot)
    if (const std::optional<Place> &place = slots[slot].place; place && !place->isInMemory()) {
      unsigned leaves = layout.numLeaves(place->type.getNonReferenceType()).value_or(0);
      unsigned size = place->index ? place->reach * place->stride : leaves * place->elements;
      for (unsigned i = 0; i < size; ++i)
        if (found.insert(place->slot + i))
          addReferredSlots(place->slot + i, 1, found);
    }
}

// Objects that the text names otherwise than to read them, and what these refer to. More is found by evaluating.
SmallVector<unsigned> Evaluator::likelyChanged(const Stmt *stmt) {
  llvm::SetVector<unsigned> found;
  Uses uses = findUses(stmt);
  auto addPlace = [&](const Place &place, bool isChanged) {
    if (place.isInMemory())
      return;
    unsigned count = layout.numLeaves(place.type.getNonReferenceType()).value_or(0);
    for (unsigned i = 0; isChanged && i < count; ++i)
      found.insert(place.slot + i);
    addReferredSlots(place.slot, count, found);
  };
  for (bool isChanged : {true, false})
    for (const ValueDecl *decl : isChanged ? uses.changed : uses.read)
      if (auto known = frame->variables.find(decl); known != frame->variables.end())
        addPlace(known->second, isChanged);
  if (uses.usesThis && frame->self)
    addPlace(*frame->self, true);
  SmallVector<unsigned> result(found.begin(), found.end());
  llvm::sort(result);
  return result;
}

} // namespace tilewright::cpp
