// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements but loops.
#include "cpp/evaluate/Evaluator.h"
#include "cpp/evaluate/Hints.h"
#include "cpp/values/Fold.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace tilewright::cpp {

void Evaluator::execute(const Stmt *stmt) {
  if (!stmt || !isAlive)
    return;
  if (const auto *compound = dyn_cast<CompoundStmt>(stmt))
    return inScope([&]() {
      for (const Stmt *child : compound->body())
        execute(child);
    });
  if (isa<IfStmt, SwitchStmt, WhileStmt, ForStmt, CXXForRangeStmt>(stmt))
    return inScope([&]() { executePlain(stmt); });
  executePlain(stmt);
}

void Evaluator::executePlain(const Stmt *stmt) {
  At location(*this, stmt->getBeginLoc());
  if (const auto *expr = dyn_cast<Expr>(stmt))
    return perform(expr);
  switch (stmt->getStmtClass()) {
  case Stmt::NullStmtClass:
    return;
  case Stmt::DeclStmtClass:
    for (const Decl *decl : cast<DeclStmt>(stmt)->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl))
        executeDeclaration(variable);
    return;
  case Stmt::AttributedStmtClass:
    return executeAttributed(cast<AttributedStmt>(stmt));
  case Stmt::LabelStmtClass:
    return execute(cast<LabelStmt>(stmt)->getSubStmt());
  case Stmt::IfStmtClass:
    return executeIf(cast<IfStmt>(stmt));
  case Stmt::SwitchStmtClass:
    return executeSwitch(cast<SwitchStmt>(stmt));
  case Stmt::ReturnStmtClass:
    return executeReturn(cast<ReturnStmt>(stmt));
  case Stmt::BreakStmtClass:
    return executeBreak();
  case Stmt::ContinueStmtClass:
    return executeContinue();
  case Stmt::WhileStmtClass: {
    const auto *loop = cast<WhileStmt>(stmt);
    auto body = [&]() { execute(loop->getBody()); };
    return executeLoop({loop->getCond(), loop->getConditionVariable()}, stmt, body, []() {});
  }
  case Stmt::DoStmtClass:
    return executeDo(cast<DoStmt>(stmt));
  case Stmt::ForStmtClass:
    return executeFor(cast<ForStmt>(stmt));
  case Stmt::CXXForRangeStmtClass:
    return executeRangeFor(cast<CXXForRangeStmt>(stmt));
  case Stmt::GotoStmtClass:
  case Stmt::IndirectGotoStmtClass:
    refuse("tile code cannot have goto");
  case Stmt::CXXTryStmtClass:
    refuse("tile code cannot handle exceptions");
  case Stmt::GCCAsmStmtClass:
  case Stmt::MSAsmStmtClass:
    refuse("tile code cannot have asm");
  default:
    refuse("tile code cannot have a statement of this kind (" + llvm::Twine(stmt->getStmtClassName()) + ")");
  }
}

void Evaluator::executeAttributed(const AttributedStmt *stmt) {
  const Stmt *inner = stmt->getSubStmt();
  if (!isa<Expr, ReturnStmt>(inner)) {
    warnOfUselessHints(ast, stmt->getAttrs());
    return execute(inner);
  }
  llvm::SaveAndRestore hints(emitter.hints, readHints(ast, entry.getContext(), stmt->getAttrs(), HintPlace::Statement));
  execute(inner);
}

void Evaluator::executeDeclaration(const VarDecl *variable) {
  llvm::SaveAndRestore hints(emitter.hints, variable->hasAttrs() ? readHints(ast, entry.getContext(),
                                                                             variable->getAttrs(), HintPlace::Statement)
                                                                 : cuda_tile::OptimizationHintsAttr());
  At location(*this, variable->getLocation());
  QualType type = variable->getType();
  if (variable->isStaticLocal())
    return; // it was there before
  if (type->isReferenceType()) {
    Place bound = place(variable->getInit());
    bound.type = type->getPointeeType();
    frame->variables[variable] = bound;
    return;
  }
  Place object = allocate(type);
  frame->variables[variable] = object;
  if (const Expr *init = variable->getInit()) {
    const APValue *constant = variable->isConstexpr() ? variable->evaluateValue() : nullptr;
    if (constant)
      store(object, constantLeaves(*constant, type));
    else
      initializeAt(init, object);
  }
  destroyLater(object);
  if (const auto *decomposition = dyn_cast<DecompositionDecl>(variable))
    for (const BindingDecl *binding : decomposition->bindings())
      if (const VarDecl *holder = binding->getHoldingVar())
        executeDeclaration(holder);
}

void Evaluator::executeIf(const IfStmt *stmt) {
  if (stmt->isConsteval())
    return execute(stmt->isNegatedConsteval() ? stmt->getThen() : stmt->getElse());
  execute(stmt->getInit());
  if (const VarDecl *variable = stmt->getConditionVariable())
    executeDeclaration(variable);
  branch(evaluateCondition(stmt->getCond()), [&]() { execute(stmt->getThen()); }, [&]() { execute(stmt->getElse()); });
}

void Evaluator::executeReturn(const ReturnStmt *stmt) {
  if (const Expr *value = stmt->getRetValue()) {
    QualType type = frame->function->getReturnType();
    Place result{type};
    result.slot = frame->result;
    if (type->isReferenceType())
      slots.write(frame->result, Leaf(place(value)));
    else if (type->isVoidType())
      perform(value);
    else
      initializeAt(value, result);
  }
  if (frame->target) {
    destroyDownTo(frame->outerObjects);
    jump(*frame->target, false);
  }
}

void Evaluator::executeBreak() {
  for (Target *target : llvm::reverse(targets))
    if (target->takesBreak) {
      destroyDownTo(target->outerObjects);
      return jump(*target, false);
    }
}

void Evaluator::executeContinue() {
  for (Target *target : llvm::reverse(targets))
    if (target->takesContinue) {
      destroyDownTo(target->outerObjects);
      return jump(*target, target->kind != Target::Scope);
    }
}

// ---- switch ---------------------------------------------------------------------------------------------

namespace {

/// The statements from one label to the next.
struct Section {
  SmallVector<const CaseStmt *> cases;
  bool isDefault = false;
  SmallVector<const Stmt *> statements;
};

std::vector<Section> sectionsOf(const CompoundStmt *body) {
  std::vector<Section> sections;
  for (const Stmt *stmt : body->body()) {
    if (isa<SwitchCase>(stmt))
      sections.emplace_back();
    while (const auto *label = dyn_cast<SwitchCase>(stmt)) {
      if (const auto *number = dyn_cast<CaseStmt>(label))
        sections.back().cases.push_back(number);
      else
        sections.back().isDefault = true;
      stmt = label->getSubStmt();
    }
    if (!sections.empty())
      sections.back().statements.push_back(stmt);
  }
  return sections;
}

} // namespace

void Evaluator::executeSwitch(const SwitchStmt *stmt) {
  execute(stmt->getInit());
  if (const VarDecl *variable = stmt->getConditionVariable())
    executeDeclaration(variable);
  const auto *body = dyn_cast<CompoundStmt>(stmt->getBody());
  if (!body)
    refuse("tile code has the body of a switch in braces");
  mlir::Value value = evaluateScalar(stmt->getCond());
  bool isSigned = layout.isSigned(stmt->getCond()->getType());
  std::vector<Section> sections = sectionsOf(body);

  auto either = [&](mlir::Value a, mlir::Value b) { return emitter.create("ori", {a, b}, a.getType()); };
  SmallVector<mlir::Value> hits;
  mlir::Value any = emitter.boolean(false);
  for (const Section &section : sections) {
    mlir::Value hit = emitter.boolean(false);
    for (const CaseStmt *label : section.cases) {
      if (label->caseStmtIsGNURange())
        refuse(label->getBeginLoc(), "tile code cannot have a range of cases");
      mlir::Value number = evaluateScalar(label->getLHS());
      hit = either(hit, emitter.compare(cuda_tile::ComparisonPredicate::Equal, value, number, isSigned));
    }
    any = either(any, hit);
    hits.push_back(hit);
  }
  // One section goes on with the next, unless it jumps.
  Target end{Target::Scope};
  end.takesBreak = true;
  scope(end, [&]() {
    mlir::Value isActive = emitter.boolean(false);
    for (auto [section, hit] : llvm::zip_equal(sections, hits)) {
      if (section.isDefault)
        hit = either(hit, emitter.create("xori", {any, emitter.boolean(true)}, any.getType()));
      isActive = either(isActive, hit);
      branch(
          isActive,
          [&, &statements = section.statements]() {
            for (const Stmt *child : statements)
              execute(child);
          },
          []() {});
      if (!isAlive)
        return;
    }
  });
}

} // namespace tilewright::cpp
