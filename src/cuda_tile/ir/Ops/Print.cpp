// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Access.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

ParseResult PrintTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Operands operands;
  Tail tail;
  Types types, results;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parser.parseAttribute(properties.str) || parseMoreOperands(parser, operands) || parseTail(parser, tail) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      (!operands.empty() && (parser.parseColon() || parseTys(parser, types))) || parser.parseArrow() ||
      parseTys(parser, results) || parser.resolveOperands(operands, types, parser.getNameLoc(), result.operands) ||
      resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  setSegments<PrintTkoOp>(result, {static_cast<int32_t>(operands.size()), static_cast<int32_t>(tail.token.size())});
  return success();
}

void PrintTkoOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getStrAttr();
  for (Value argument : getArgs()) {
    printer << ", " << argument;
  }
  printTail(printer, getToken(), "=");
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  if (!getArgs().empty()) {
    printer << " : ";
    printTys(printer, getArgs().getTypes());
  }
  printer << " -> ";
  printTys(printer, getOperation()->getResultTypes());
}
