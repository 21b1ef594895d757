// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the compiler knows by name: printf, assert, and what is a builtin of Clang.
#include "cpp/evaluate/Evaluator.h"

using namespace clang;

namespace tilewright::cpp {

std::optional<Leaves> Evaluator::callBuiltin(const FunctionDecl *function, ArrayRef<const Expr *> arguments) {
  StringRef name = function->getIdentifier() ? function->getName() : StringRef();
  if (name == "printf" && function->getDeclContext()->getRedeclContext()->isFileContext()) {
    print(arguments);
    return Leaves{Leaf()};
  }
  switch (function->getBuiltinID()) {
  case Builtin::NotBuiltin:
    return std::nullopt;
  case Builtin::BImove:
  case Builtin::BImove_if_noexcept:
  case Builtin::BIforward:
  case Builtin::BIas_const:
    return Leaves{Leaf(place(arguments.front()))};
  case Builtin::BIaddressof:
  case Builtin::BI__addressof:
  case Builtin::BI__builtin_addressof: {
    Place object = place(arguments.front());
    return Leaves{object.isInMemory() ? Leaf(addressAt(object, 0, object.type)) : Leaf(object)};
  }
  case Builtin::BI__builtin_expect:
    return evaluate(arguments.front());
  case Builtin::BI__builtin_assume:
  case Builtin::BI__builtin_unreachable:
    return Leaves{};
  case Builtin::BI__builtin_is_constant_evaluated:
    return Leaves{Leaf(emitter.boolean(false))};
  case Builtin::BI__builtin_trap:
    emitter.build<cuda_tile::AssertOp>(emitter.boolean(false), "trap");
    return Leaves{};
  default:
    // Others have a body, or are refused for having none.
    if (function->hasBody())
      return std::nullopt;
    refuse("tile code cannot call the builtin function '" + function->getNameAsString() + "'");
  }
}

void Evaluator::print(ArrayRef<const Expr *> arguments) {
  const auto *format = dyn_cast<clang::StringLiteral>(arguments.front()->IgnoreParenImpCasts());
  if (!format)
    refuse("the format of printf has to be a string literal");
  SmallVector<mlir::Value> values;
  for (const Expr *argument : arguments.drop_front()) {
    const Expr *value = argument;
    // Tiles pass as they are; a copy of one is the tile.
    values.push_back(evaluateScalar(value));
    if (tileTypeOf(values.back()).getElementType().isInteger(1))
      values.back() = emitter.convertElements(values.back(), ast.BoolTy, ast.IntTy);
  }
  auto token = cuda_tile::TokenType::get(entry.getContext());
  emitter.build<cuda_tile::PrintTkoOp>(token, values, mlir::Value(), format->getString());
}

// assert(c) of <cassert>: c ? void(0) : __assert_fail("c", file, line, function).
static const CallExpr *failureOf(const AbstractConditionalOperator *op) {
  const auto *call = dyn_cast<CallExpr>(op->getFalseExpr()->IgnoreParenImpCasts());
  const FunctionDecl *function = call ? call->getDirectCallee() : nullptr;
  bool isFailure = function && function->getIdentifier() && function->getName() == "__assert_fail";
  return isFailure && call->getNumArgs() == 4 ? call : nullptr;
}

bool Evaluator::isAssertion(const AbstractConditionalOperator *op) {
  return failureOf(op);
}

void Evaluator::evaluateAssertion(const AbstractConditionalOperator *op) {
  const CallExpr *failure = failureOf(op);
  const auto *text = dyn_cast<clang::StringLiteral>(failure->getArg(0)->IgnoreParenImpCasts());
  PresumedLoc presumed = ast.getSourceManager().getPresumedLoc(at);
  std::string message = text ? text->getString().str() : "an assertion failed";
  if (presumed.isValid())
    message = (presumed.getFilename() + llvm::Twine(":") + llvm::Twine(presumed.getLine()) + ": " + message).str();
  emitter.build<cuda_tile::AssertOp>(evaluateCondition(op->getCond()), message);
}

} // namespace tilewright::cpp
