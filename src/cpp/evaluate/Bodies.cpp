// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/evaluate/Bodies.h"

using namespace clang;

namespace tilewright::cpp {

// Of a statement and those inside of it, but not of other functions.
static bool contains(const Stmt *stmt, llvm::function_ref<bool(const Stmt *)> isFound,
                     llvm::function_ref<bool(const Stmt *)> isLeftOut) {
  if (!stmt || isa<LambdaExpr>(stmt) || isLeftOut(stmt))
    return false;
  if (isFound(stmt))
    return true;
  return llvm::any_of(stmt->children(), [&](const Stmt *child) { return contains(child, isFound, isLeftOut); });
}

static bool hasReturn(const Stmt *stmt) {
  return contains(stmt, [](const Stmt *s) { return isa<ReturnStmt>(s); }, [](const Stmt *) { return false; });
}

bool returnsEarly(const Stmt *body) {
  if (!body || isa<ReturnStmt>(body))
    return false;
  if (const auto *compound = dyn_cast<CompoundStmt>(body)) {
    if (compound->body_empty())
      return false;
    return llvm::any_of(llvm::drop_end(compound->body()), hasReturn) || returnsEarly(compound->body_back());
  }
  if (const auto *branch = dyn_cast<IfStmt>(body); branch && branch->isConstexpr())
    return returnsEarly(branch->getThen()) || returnsEarly(branch->getElse());
  return hasReturn(body);
}

static bool isLoop(const Stmt *stmt) {
  return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt);
}

bool leavesLoop(const Stmt *body) {
  auto isBreak = [](const Stmt *s) { return isa<BreakStmt>(s); };
  auto hasOwn = [](const Stmt *s) { return isLoop(s) || isa<SwitchStmt>(s); };
  return hasReturn(body) || contains(body, isBreak, hasOwn);
}

bool hasJumps(const Stmt *body) {
  auto isContinue = [](const Stmt *s) { return isa<ContinueStmt>(s); };
  return leavesLoop(body) || contains(body, isContinue, isLoop);
}

namespace {

class UseFinder : public RecursiveASTVisitor<UseFinder> {
public:
  explicit UseFinder(Uses &uses) : uses(uses) {}
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }

  // Objects that are only read: their value, or they themselves as const.
  bool TraverseImplicitCastExpr(ImplicitCastExpr *conversion) {
    bool isConst = conversion->getCastKind() == CK_NoOp && conversion->getType().isConstQualified();
    return traverse(conversion->getCastKind() == CK_LValueToRValue || isConst,
                    [&]() { return RecursiveASTVisitor::TraverseImplicitCastExpr(conversion); });
  }
  // An index is read, whatever is done with the element.
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr *subscript) {
    if (!TraverseStmt(subscript->getBase()))
      return false;
    return traverse(false, [&]() { return TraverseStmt(subscript->getIdx()); });
  }
  bool VisitDeclRefExpr(DeclRefExpr *reference) {
    if (isa<VarDecl, BindingDecl>(reference->getDecl()))
      (isRead || reference->getType().isConstQualified() ? uses.read : uses.changed).insert(reference->getDecl());
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *) {
    uses.usesThis = true;
    return true;
  }

private:
  bool traverse(bool reads, llvm::function_ref<bool()> visit) {
    bool before = std::exchange(isRead, reads);
    bool result = visit();
    isRead = before;
    return result;
  }

  Uses &uses;
  bool isRead = false;
};

class IndexFinder : public RecursiveASTVisitor<IndexFinder> {
public:
  explicit IndexFinder(const VarDecl *variable) : variable(variable) {}
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *subscript) {
    const auto *base = dyn_cast<ImplicitCastExpr>(subscript->getBase());
    bool isArray = base && base->getCastKind() == CK_ArrayToPointerDecay;
    found |= isArray && findUses(subscript->getIdx()).read.contains(variable);
    return !found;
  }
  bool found = false;

private:
  const VarDecl *variable;
};

} // namespace

Uses findUses(const Stmt *stmt) {
  Uses uses;
  UseFinder(uses).TraverseStmt(const_cast<Stmt *>(stmt));
  return uses;
}

bool indexesArray(const Stmt *body, const VarDecl *variable) {
  IndexFinder finder(variable);
  finder.TraverseStmt(const_cast<Stmt *>(body));
  return finder.found;
}

} // namespace tilewright::cpp
