// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Text -----------------------------------------------------------------------------===//

template <typename Op>
static ParseResult parseFold(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  int32_t dim;
  if (parser.parseOperandList(operands) || parser.parseKeyword("dim") || parser.parseEqual() ||
      parser.parseInteger(dim)) {
    return failure();
  }
  properties.dim = parser.getBuilder().getI32IntegerAttr(dim);
  if constexpr (std::is_same_v<Op, ScanOp>) {
    StringRef reverse;
    if (parser.parseKeyword("reverse") || parser.parseEqual() ||
        parser.parseOptionalKeyword(&reverse, {"true", "false"})) {
      return parser.emitError(parser.getCurrentLocation(), "expected reverse=true or reverse=false");
    }
    properties.reverse = parser.getBuilder().getBoolAttr(reverse == "true");
  }
  if (parser.parseKeyword("identities") || parser.parseEqual() || parser.parseAttribute(properties.identities) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parseTys(parser, types) ||
      parser.parseArrow() || parseTys(parser, result.types) ||
      parser.resolveOperands(operands, types, loc, result.operands)) {
    return failure();
  }
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseArgument = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseColon() || parseTy(parser, argument.type));
  };
  return failure(parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseArgument) ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

template <typename Op>
static void printFold(Op op, OpAsmPrinter &printer) {
  printer << ' ' << op.getOperands() << " dim=" << op.getDim();
  if constexpr (std::is_same_v<Op, ScanOp>) {
    printer << " reverse=" << (op.getReverse() ? "true" : "false");
  }
  printer << " identities=" << op.getIdentities();
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
  printer << " : ";
  printTys(printer, op.getOperands().getTypes());
  printer << " -> ";
  printTys(printer, op->getResultTypes());
  printer << ' ';
  printer.printNewline();
  printer << '(';
  llvm::interleaveComma(op.getBody().getArguments(), printer, [&](BlockArgument argument) {
    printer.printOperand(argument);
    printer << ": ";
    printTy(printer, argument.getType());
  });
  printer << ") ";
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) { return parseFold<ReduceOp>(parser, result); }
void ReduceOp::print(OpAsmPrinter &printer) { printFold(*this, printer); }
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) { return parseFold<ScanOp>(parser, result); }
void ScanOp::print(OpAsmPrinter &printer) { printFold(*this, printer); }

//===- Rules ----------------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ReduceOp::verifyRegions() { return success(); }
LogicalResult ScanOp::verify() { return success(); }
LogicalResult ScanOp::verifyRegions() { return success(); }
