// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the body of a kernel as Clang has parsed it, and builds an operation for what is only known when the kernel
// runs. Calls are evaluated where they are, so that nothing is left of functions, classes, references and lambdas.
#ifndef TILEWRIGHT_CPP_EVALUATE_EVALUATOR_H
#define TILEWRIGHT_CPP_EVALUATE_EVALUATOR_H

#include "cpp/evaluate/Jumps.h"
#include "cpp/evaluate/Refusal.h"
#include "cpp/values/Emitter.h"

namespace tilewright::cpp {

/// A function that is being evaluated.
struct Frame {
  const clang::FunctionDecl *function;
  llvm::DenseMap<const clang::ValueDecl *, Place> variables;
  std::optional<Place> self; // of a member function
  unsigned result = 0;       // slots of what it returns
  Target *target = nullptr;  // that its returns jump to
  size_t outerObjects = 0;   // with a destructor, of the callers
  Frame *caller = nullptr;
  clang::SourceLocation calledAt;
  cuda_tile::DISubprogramAttr scope; // null for functions of the library
};

/// The bounds of a `for`; null for a `loop`.
struct LoopHeader {
  mlir::Value lower, upper, step;
  bool isSigned = true;
};

/// Whether a loop goes on; null for one that does by itself. Each iteration may declare a variable for it.
struct LoopTest {
  const clang::Expr *condition = nullptr;
  const clang::VarDecl *declared = nullptr;
};

class Evaluator {
public:
  Evaluator(clang::ASTContext &ast, cuda_tile::EntryOp entry)
      : ast(ast), layout(ast, entry.getContext()), emitter(layout, &entry.getBody().front()), entry(entry) {}

  /// Evaluates a kernel into the entry, whose parameters are the kernel's. False after a diagnostic.
  bool run(const clang::FunctionDecl *kernel);

  // ---- for operations (cpp/ops) --------------------------------------------------------------------

  clang::ASTContext &ast;
  Layout layout;
  Emitter emitter;

  /// Reports an error at the expression or statement that the user wrote, and leaves the kernel.
  [[noreturn]] void refuse(const llvm::Twine &message);
  [[noreturn]] void refuse(clang::SourceLocation at, const llvm::Twine &message);
  mlir::Value valueOf(const Leaf &leaf);

private:
  // ---- expressions: their value, or where the object is that they name --------------------------------

  Leaves evaluate(const clang::Expr *expr);
  mlir::Value evaluateScalar(const clang::Expr *expr) { return valueOf(evaluateLeaf(expr)); }
  Leaf evaluateLeaf(const clang::Expr *expr);
  mlir::Value evaluateCondition(const clang::Expr *expr);
  Place place(const clang::Expr *expr);
  /// For what is done and not used.
  void perform(const clang::Expr *expr);

  Leaves evaluateCast(const clang::CastExpr *cast);
  Leaves evaluateUnary(const clang::UnaryOperator *op);
  Leaves evaluateBinary(const clang::BinaryOperator *op);
  Leaves evaluateLogical(const clang::BinaryOperator *op);
  Leaves evaluateConditional(const clang::AbstractConditionalOperator *op);
  bool isAssertion(const clang::AbstractConditionalOperator *op);
  void evaluateAssertion(const clang::AbstractConditionalOperator *op);
  Leaves evaluateInitList(const clang::InitListExpr *list);
  Leaves evaluateLambda(const clang::LambdaExpr *lambda);
  Leaves evaluateInitializerList(const clang::CXXStdInitializerListExpr *list);
  Leaves constantLeaves(const clang::APValue &value, clang::QualType type);
  Leaves zeroLeaves(clang::QualType type);

  Place placeOfDeclaration(const clang::ValueDecl *decl);
  /// A variable in memory of the device, which keeps its value between launches.
  Place placeOfGlobal(const clang::VarDecl *variable);
  Place placeOfMember(const clang::MemberExpr *member);
  Place assign(const clang::BinaryOperator *op);
  Place increment(const clang::UnaryOperator *op);
  Place elementAt(const clang::ArraySubscriptExpr *subscript);
  Place target(const Leaf &pointer, clang::QualType pointee);

  mlir::Value arithmetic(clang::BinaryOperatorKind kind, mlir::Value a, mlir::Value b, clang::QualType type,
                         clang::QualType right);
  Leaf offsetPlace(const Place &place, clang::QualType pointee, mlir::Value offset, clang::QualType offsetType);
  Leaf offsetPointer(const Leaf &pointer, clang::QualType type, mlir::Value offset, clang::QualType offsetType);

  // ---- calls --------------------------------------------------------------------------------------------

  Leaves call(const clang::CallExpr *expr);
  Leaves callFunction(const clang::FunctionDecl *function, std::optional<Place> self,
                      llvm::ArrayRef<const clang::Expr *> arguments);
  /// Functions that the compiler knows; nothing for others.
  std::optional<Leaves> callBuiltin(const clang::FunctionDecl *function, llvm::ArrayRef<const clang::Expr *> arguments);
  void print(llvm::ArrayRef<const clang::Expr *> arguments);
  mlir::Value constantTile(clang::QualType type, const Leaf &first);
  Leaves callOperation(const clang::FunctionDecl *function, llvm::ArrayRef<const clang::Expr *> arguments);
  Leaves construct(const clang::CXXConstructExpr *expr);
  void constructAt(const clang::CXXConstructExpr *expr, const Place &self);
  void initializeAt(const clang::Expr *init, const Place &at);
  void runConstructor(const clang::CXXConstructorDecl *constructor, llvm::ArrayRef<const clang::Expr *> arguments,
                      const Place &self);
  /// Reports a call that nvcc refuses: -Wno-cuda-compat allows it.
  void checkSpace(const clang::FunctionDecl *function);
  void destroyParameters(const Frame &called);
  void bindParameters(Frame &called, llvm::ArrayRef<const clang::Expr *> arguments);
  void bindCaptures(Frame &called, const Place &closure);
  void enter(Frame &called);
  Leaves runBody(Frame &called);

  // ---- objects --------------------------------------------------------------------------------------------

  Place allocate(clang::QualType type);
  Place materialize(Leaves leaves, clang::QualType type);
  Leaves load(const Place &at);
  void store(const Place &at, const Leaves &leaves);
  Leaf loadChosen(const Place &object, unsigned leaf);
  void storeChosen(const Place &object, unsigned leaf, const Leaf &stored);
  void forEachChoice(const Place &object, unsigned leaf, llvm::function_ref<void(unsigned, mlir::Value)> visit);
  mlir::Value choose(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  Place fieldOf(const Place &object, const clang::FieldDecl *field);
  Place baseOf(const Place &object, const clang::CXXRecordDecl *base);
  mlir::Value addressAt(const Place &at, int64_t bytes, clang::QualType type);
  unsigned leafCount(clang::QualType type);

  // ---- statements -------------------------------------------------------------------------------------------

  void execute(const clang::Stmt *stmt);
  /// Evaluates what has objects of its own, and destroys those at its end.
  void inScope(llvm::function_ref<void()> evaluateScope);
  void destroyLater(const Place &object);
  void destroyDownTo(size_t count);
  void destroy(const Place &object);
  void executeAttributed(const clang::AttributedStmt *stmt);
  void executePlain(const clang::Stmt *stmt);
  void executeDeclaration(const clang::VarDecl *variable);
  void executeIf(const clang::IfStmt *stmt);
  void executeSwitch(const clang::SwitchStmt *stmt);
  void executeReturn(const clang::ReturnStmt *stmt);
  void executeBreak();
  void executeContinue();
  void executeRangeFor(const clang::CXXForRangeStmt *stmt);
  void executeFor(const clang::ForStmt *stmt);
  void executeLoop(LoopTest test, const clang::Stmt *whole, llvm::function_ref<void()> body,
                   llvm::function_ref<void()> next);
  void executeDo(const clang::DoStmt *stmt);
  void executeCounted(const LoopHeader &header, const clang::VarDecl *variable, clang::QualType counted,
                      const clang::Stmt *whole, const clang::Stmt *body);
  /// Evaluates each iteration as often as `test` is true, which is known; false if it is not.
  void unroll(const clang::Expr *test, llvm::function_ref<void()> body, llvm::function_ref<void()> next,
              const clang::Stmt *text);
  bool isInvariant(const clang::Expr *expr, const clang::Stmt *loop);

  // ---- control flow -----------------------------------------------------------------------------

  /// A region that was evaluated, and what it changed.
  struct Path {
    std::unique_ptr<mlir::Region> region;
    SlotValues changes;
    bool isAlive = false; // its end is reached
  };
  Path follow(llvm::function_ref<void()> evaluatePath);
  /// Evaluates one of two paths, or builds an `if` of both.
  void branch(mlir::Value condition, llvm::function_ref<void()> whenTrue, llvm::function_ref<void()> whenFalse);
  void mergePaths(mlir::Value condition, Path &whenTrue, Path &whenFalse);

  /// Builds a loop that carries what `body` changes and calls `next` before each next iteration. `body` gets the
  /// induction variable of a `for`.
  void loop(const LoopHeader &header, const clang::Stmt *whole, llvm::function_ref<void(mlir::Value)> body,
            llvm::function_ref<void()> next);
  /// Builds a `loop` that is left at its end at the latest, for the jumps out of the middle of `body`.
  void scope(Target &target, llvm::function_ref<void()> body);

  void jump(Target &target, bool continues);
  void leaveInnermost(bool continues);
  void takePendingJumps();
  void endDeadBlock();
  llvm::SmallVector<unsigned> settleBreaks(Target &target, mlir::Region &region, SlotValues &after);
  llvm::SmallVector<unsigned> likelyChanged(const clang::Stmt *stmt);
  void addReferredSlots(unsigned first, unsigned count, llvm::SetVector<unsigned> &slots);
  mlir::Value yielded(const Leaf &leaf, unsigned slot);

  // ---- locations ------------------------------------------------------------------------------------------------

  /// Sets the place of the program for operations and diagnostics while it lives.
  class At;
  void updateLocation();
  mlir::Location locationIn(const Frame &frame, clang::SourceLocation at);

  cuda_tile::EntryOp entry;
  Slots slots;
  Frame *frame = nullptr;
  clang::SourceLocation at; // in the user's text
  bool isAlive = true;      // the point is reached
  llvm::DenseSet<std::pair<clang::SourceLocation, const clang::FunctionDecl *>> checkedCalls;
  llvm::SmallVector<Target *> targets;
  llvm::SmallVector<Place> destroyed; // objects with a destructor, by when they were made
  llvm::DenseMap<const clang::ValueDecl *, Place> globals;
};

class Evaluator::At {
public:
  At(Evaluator &evaluator, clang::SourceLocation location);
  ~At();

private:
  Evaluator &evaluator;
  clang::SourceLocation before;
  mlir::Location locationBefore;
};

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_EVALUATE_EVALUATOR_H
