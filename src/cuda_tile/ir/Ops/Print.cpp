// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/memory/Access.h"
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

/// One argument per conversion of the format; `%%` takes none. Flags, widths and lengths are not looked at: a
/// conversion that does not fit its argument prints something undefined.
LogicalResult PrintTkoOp::verify() {
  StringRef format = getStr();
  size_t numConversions = 0;
  for (size_t at = format.find('%'); at != StringRef::npos; at = format.find('%', at + 1)) {
    size_t start = at;
    at = format.find_first_of("diouxXeEfFgGaAcspn%", at + 1);
    if (at == StringRef::npos) {
      return emitOpError("expected a conversion like %d or %f after the '%' at position ") << start << " of the format";
    }
    // As in C only `%%` itself takes no argument; `%5%` does.
    numConversions += at != start + 1 || format[at] != '%';
  }
  if (numConversions != getArgs().size()) {
    return emitOpError("expected an argument per conversion of the format, ")
           << numConversions << ", got " << getArgs().size();
  }
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
