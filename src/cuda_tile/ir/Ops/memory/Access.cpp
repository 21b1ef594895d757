// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/memory/Access.h"

using namespace mlir;

namespace tilewright::cuda_tile {

ParseResult parseOrdering(OpAsmParser &parser, Ordering &ordering) {
  if (parseWord(parser, ordering.semantics)) {
    return failure();
  }
  StringRef scope;
  if (failed(parser.parseOptionalKeyword(&scope, {"tl_blk", "device", "sys"}))) {
    return success();
  }
  ordering.scope = MemoryScopeAttr::get(parser.getContext(), *symbolizeMemoryScope(scope));
  return success();
}

void printOrdering(OpAsmPrinter &printer, Ordering ordering) {
  printer << ' ' << ordering.semantics.getValue();
  if (ordering.scope) {
    printer << ' ' << ordering.scope.getValue();
  }
}

ParseResult parsePlace(OpAsmParser &parser, Place &place) {
  return failure(parser.parseOperand(place.view) ||
                 parser.parseOperandList(place.index, OpAsmParser::Delimiter::Square));
}

void printPlace(OpAsmPrinter &printer, Value view, OperandRange index) {
  printer << view << '[' << index << ']';
}

Types getIndexTypes(OperandRange index) {
  Types types(index.getTypes());
  if (!types.empty() && llvm::all_equal(types)) {
    types.resize(1);
  }
  return types;
}

ParseResult parseTail(OpAsmParser &parser, Tail &tail) {
  if (succeeded(parser.parseOptionalKeyword("token")) &&
      (parser.parseEqual() || parser.parseOperand(tail.token.emplace_back()))) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("optimization_hints"))) {
    if (parser.parseEqual()) {
      return failure();
    }
    tail.hints = dyn_cast_or_null<OptimizationHintsAttr>(OptimizationHintsAttr::parse(parser, {}));
    if (!tail.hints) {
      return failure();
    }
  }
  if (succeeded(parser.parseOptionalKeyword("inbounds"))) {
    if (parser.parseEqual()) {
      return failure();
    }
    tail.inbounds = dyn_cast_or_null<DenseBoolArrayAttr>(DenseBoolArrayAttr::parse(parser, {}));
    if (!tail.inbounds) {
      return failure();
    }
  }
  return success();
}

ParseResult resolveToken(OpAsmParser &parser, const Tail &tail, OperationState &result) {
  return parser.resolveOperands(tail.token, TokenType::get(parser.getContext()), result.operands);
}

void printTail(OpAsmPrinter &printer, Value token, StringRef equals, OptimizationHintsAttr hints,
               ArrayRef<bool> inbounds) {
  if (token) {
    printer << " token" << equals << token;
  }
  if (hints) {
    printer << " optimization_hints = ";
    hints.print(printer);
  }
  if (llvm::is_contained(inbounds, true)) {
    printer << " inbounds = [";
    llvm::interleaveComma(inbounds, printer, [&](bool value) { printer << (value ? "true" : "false"); });
    printer << ']';
  }
}

ParseResult parseMoreOperands(OpAsmParser &parser, Operands &operands) {
  while (succeeded(parser.parseOptionalComma())) {
    if (parser.parseOperand(operands.emplace_back())) {
      return failure();
    }
  }
  return success();
}

ParseResult parseFunctionTypes(OpAsmParser &parser, Types &operands, Types &results) {
  return failure(parser.parseColon() || parseTys(parser, operands) || parser.parseArrow() || parseTys(parser, results));
}

void printFunctionTypes(OpAsmPrinter &printer, TypeRange operands, TypeRange results) {
  printer << " : ";
  printTys(printer, operands);
  printer << " -> ";
  printTys(printer, results);
}

ParseResult resolvePlace(OpAsmParser &parser, const Place &place, ArrayRef<Type> types, OperationState &result) {
  if (types.empty()) {
    return parser.emitError(place.view.location, "expected the type of the view");
  }
  Types index(types.drop_front());
  if (index.size() == 1) {
    index.assign(place.index.size(), index.front());
  }
  return failure(parser.resolveOperand(place.view, types.front(), result.operands) ||
                 parser.resolveOperands(place.index, index, place.view.location, result.operands));
}

} // namespace tilewright::cuda_tile
