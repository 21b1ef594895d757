// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/ir/E5M3.h"
#include "cuda_tile/ir/Ops/Literal.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Text -----------------------------------------------------------------------------===//

static bool isE5M3(Attribute identity) {
  auto number = dyn_cast<FloatAttr>(identity);
  return number && isa<F8E5M3FNUType>(number.getType());
}

/// `1.0 : f32`. The builtin parser takes decimal digits of fnv8E5M3FNU for a number of the format whose semantics that
/// type names in the place of its own, so they are read again.
static ParseResult parseIdentity(OpAsmParser &parser, Attribute &identity) {
  SMLoc begin = parser.getCurrentLocation();
  if (parser.parseAttribute(identity)) {
    return failure();
  }
  StringRef text(begin.getPointer(), parser.getCurrentLocation().getPointer() - begin.getPointer());
  if (!isE5M3(identity) || text.starts_with("0x")) {
    return success();
  }
  APFloat number(APFloat::IEEEdouble());
  cantFail(number.convertFromString(text.split(':').first.trim(), APFloat::rmNearestTiesToEven));
  std::optional<uint8_t> bits = encodeE5M3(number);
  auto type = cast<FloatAttr>(identity).getType();
  if (!bits) {
    return parser.emitError(begin, "expected a number without a sign of ") << type;
  }
  identity = FloatAttr::get(type, APFloat(cast<FloatType>(type).getFloatSemantics(), APInt(8, *bits)));
  return success();
}

static ParseResult parseIdentities(OpAsmParser &parser, ArrayAttr &identities) {
  SmallVector<Attribute> each;
  auto parseOne = [&] { return parseIdentity(parser, each.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne)) {
    return failure();
  }
  identities = parser.getBuilder().getArrayAttr(each);
  return success();
}

static void printIdentities(OpAsmPrinter &printer, ArrayAttr identities) {
  if (llvm::none_of(identities, isE5M3)) {
    printer << identities;
    return;
  }
  printer << '[';
  llvm::interleaveComma(identities, printer, [&](Attribute identity) {
    if (!isE5M3(identity)) {
      printer << identity;
      return;
    }
    printElement(printer, identity);
    printer << " : " << cast<FloatAttr>(identity).getType();
  });
  printer << ']';
}

template <typename Op> static ParseResult parseFold(OpAsmParser &parser, OperationState &result) {
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
  if (parser.parseKeyword("identities") || parser.parseEqual() || parseIdentities(parser, properties.identities) ||
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

template <typename Op> static void printFold(Op op, OpAsmPrinter &printer) {
  printer << ' ' << op.getOperands() << " dim=" << op.getDim();
  if constexpr (std::is_same_v<Op, ScanOp>) {
    printer << " reverse=" << (op.getReverse() ? "true" : "false");
  }
  printer << " identities=";
  printIdentities(printer, op.getIdentities());
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

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFold<ReduceOp>(parser, result);
}
void ReduceOp::print(OpAsmPrinter &printer) {
  printFold(*this, printer);
}
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFold<ScanOp>(parser, result);
}
void ScanOp::print(OpAsmPrinter &printer) {
  printFold(*this, printer);
}

//===- Rules ----------------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyOperands(Op op, bool dropsDim) {
  if (op.getOperands().empty()) {
    return op.emitOpError("expected one operand or more");
  }
  auto first = cast<TileType>(op.getOperands().front().getType());
  int64_t dim = op.getDimAttr().getInt();
  if (dim < 0 || dim >= first.getRank()) {
    return op.emitOpError("expected dim to be a dimension of ") << first << ", got " << dim;
  }
  size_t numOperands = op.getOperands().size();
  if (op->getNumResults() != numOperands || op.getIdentities().size() != numOperands) {
    return op.emitOpError("expected a result and an identity per operand, ")
           << numOperands << ", got " << op->getNumResults() << " and " << op.getIdentities().size();
  }
  for (auto [operand, result, identity] :
       llvm::zip_equal(op.getOperands().getTypes(), op->getResultTypes(), op.getIdentities())) {
    auto tile = cast<TileType>(operand);
    if (tile.getShape() != first.getShape()) {
      return op.emitOpError("expected operands of one shape, got ") << first << " and " << tile;
    }
    SmallVector<int64_t> shape(tile.getShape());
    if (dropsDim) {
      shape.erase(shape.begin() + dim);
    }
    auto wanted = TileType::get(shape, tile.getElementType());
    if (result != wanted) {
      return op.emitOpError("expected a result of ") << wanted << ", got " << result;
    }
    auto typed = dyn_cast<TypedAttr>(identity);
    if (!typed || typed.getType() != tile.getElementType()) {
      return op.emitOpError("expected an identity of ") << tile.getElementType() << ", got " << identity;
    }
  }
  return success();
}

template <typename Op> static LogicalResult verifyBody(Op op) {
  SmallVector<Type> arguments, values;
  for (Type operand : op.getOperands().getTypes()) {
    Type scalar = TileType::get({}, cast<TileType>(operand).getElementType());
    arguments.append(2, scalar);
    values.push_back(scalar);
  }
  if (op.getBody().getArgumentTypes() != TypeRange(arguments)) {
    return op.emitOpError("expected two rank-0 arguments per operand in the body");
  }
  auto yield = dyn_cast<YieldOp>(op.getBody().front().back());
  if (!yield || yield.getOperandTypes() != TypeRange(values)) {
    return op.emitOpError("expected the body to yield a rank-0 tile per operand");
  }
  for (Operation &inner : op.getBody().front()) {
    if (!isMemoryEffectFree(&inner)) {
      return op.emitOpError("expected a body without effects").attachNote(inner.getLoc()) << "this has one";
    }
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  return verifyOperands(*this, /*dropsDim=*/true);
}
LogicalResult ReduceOp::verifyRegions() {
  return verifyBody(*this);
}
LogicalResult ScanOp::verify() {
  return verifyOperands(*this, /*dropsDim=*/false);
}
LogicalResult ScanOp::verifyRegions() {
  return verifyBody(*this);
}
