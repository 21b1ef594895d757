// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

using Operand = OpAsmParser::UnresolvedOperand;
using Argument = OpAsmParser::Argument;

//===- Text -----------------------------------------------------------------------------===//

/// `iter_values(%a = %0, %b = %1)`, or nothing.
static ParseResult parseCarried(OpAsmParser &parser, SmallVectorImpl<Argument> &arguments,
                                SmallVectorImpl<Operand> &inits) {
  if (failed(parser.parseOptionalKeyword("iter_values"))) {
    return success();
  }
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  });
}

static void printCarried(OpAsmPrinter &printer, Block::BlockArgListType arguments, OperandRange inits) {
  if (inits.empty()) {
    return;
  }
  printer << " iter_values(";
  llvm::interleaveComma(llvm::zip_equal(arguments, inits), printer, [&](auto pair) {
    printer.printOperand(std::get<0>(pair));
    printer << " = " << std::get<1>(pair);
  });
  printer << ')';
}

/// A body whose last operation is what the parser would add is printed without it.
template <typename Terminator> static void printBody(OpAsmPrinter &printer, Region &region) {
  Operation &last = region.front().back();
  bool isSilent = isa<Terminator>(last) && last.getNumOperands() == 0;
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/!isSilent);
}

/// A region whose terminator may have been left out.
template <typename Terminator>
static ParseResult parseBody(OpAsmParser &parser, Region &region, Location loc, ArrayRef<Argument> arguments = {}) {
  if (parser.parseRegion(region, arguments)) {
    return failure();
  }
  if (region.empty()) {
    region.emplaceBlock();
  }
  Block &block = region.front();
  if (block.empty() || !block.back().hasTrait<OpTrait::IsTerminator>()) {
    OpBuilder builder(parser.getContext());
    builder.setInsertionPointToEnd(&block);
    Terminator::create(builder, loc);
  }
  return success();
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Argument index;
  Operand lower, upper, step;
  SmallVector<Argument> arguments;
  SmallVector<Operand> inits;
  Type indexType;
  SMLoc loc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("unsigned"))) {
    result.getOrAddProperties<Properties>().unsignedCmp = parser.getBuilder().getUnitAttr();
  }
  if (parser.parseArgument(index) || parser.parseKeyword("in") || parser.parseLParen() || parser.parseOperand(lower) ||
      parser.parseKeyword("to") || parser.parseOperand(upper) || parser.parseComma() || parser.parseKeyword("step") ||
      parser.parseOperand(step) || parser.parseRParen() || parser.parseColon() || parseTy(parser, indexType) ||
      parseCarried(parser, arguments, inits)) {
    return failure();
  }
  if (!inits.empty() && (parser.parseArrow() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseTy(parser, result.types.emplace_back());
      }))) {
    return failure();
  }
  if (parser.resolveOperands({lower, upper, step}, indexType, result.operands) ||
      parser.resolveOperands(inits, result.types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
  index.type = indexType;
  for (auto [argument, type] : llvm::zip_equal(arguments, result.types)) {
    argument.type = type;
  }
  arguments.insert(arguments.begin(), index);
  return parseBody<ContinueOp>(parser, *result.addRegion(), result.location, arguments);
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << (getUnsignedCmp() ? " unsigned " : " ");
  printer.printOperand(getInductionVar());
  printer << " in (" << getLowerBound() << " to " << getUpperBound() << ", step " << getStep() << ") : ";
  printTy(printer, getInductionVar().getType());
  printCarried(printer, getIterArgs(), getInitValues());
  if (!getInitValues().empty()) {
    printer << " -> (";
    printTys(printer, getOperation()->getResultTypes());
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrDictionary().getValue());
  printBody<ContinueOp>(printer, getBody());
}

ParseResult LoopOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Argument> arguments;
  SmallVector<Operand> inits;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parseCarried(parser, arguments, inits)) {
    return failure();
  }
  // After the colon: types of the carried values, an arrow, types of the results; one of the
  // two lists may be missing.
  if (succeeded(parser.parseOptionalColon())) {
    if (parseTys(parser, inits.empty() ? static_cast<SmallVectorImpl<Type> &>(result.types) : types)) {
      return failure();
    }
    if (!inits.empty() && succeeded(parser.parseOptionalArrow()) && parseTys(parser, result.types)) {
      return failure();
    }
  }
  if (parser.resolveOperands(inits, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) {
    argument.type = type;
  }
  return parseBody<ContinueOp>(parser, *result.addRegion(), result.location, arguments);
}

void LoopOp::print(OpAsmPrinter &printer) {
  printCarried(printer, getBody().getArguments(), getInitValues());
  if (!getInitValues().empty() || getNumResults()) {
    printer << " : ";
  }
  printTys(printer, getInitValues().getTypes());
  if (getNumResults()) {
    printer << (getInitValues().empty() ? "" : " -> ");
    printTys(printer, getOperation()->getResultTypes());
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrDictionary().getValue());
  printBody<ContinueOp>(printer, getBody());
}

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &result) {
  Operand condition;
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, TileType::get({}, parser.getBuilder().getI1Type()), result.operands)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalArrow()) && parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseTy(parser, result.types.emplace_back());
      })) {
    return failure();
  }
  Region *thenRegion = result.addRegion();
  Region *elseRegion = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parseBody<YieldOp>(parser, *thenRegion, result.location)) {
    return failure();
  }
  return success(failed(parser.parseOptionalKeyword("else")) ||
                 succeeded(parseBody<YieldOp>(parser, *elseRegion, result.location)));
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCondition();
  if (getNumResults()) {
    printer << " -> (";
    printTys(printer, getOperation()->getResultTypes());
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrDictionary().getValue());
  printBody<YieldOp>(printer, getThenRegion());
  if (!getElseRegion().empty()) {
    printer << " else";
    printBody<YieldOp>(printer, getElseRegion());
  }
}

//===- Rules ----------------------------------------------------------------------------===//

/// `given` are the types `wanted`, position by position.
static LogicalResult verifyTypes(Operation *op, StringRef what, TypeRange wanted, TypeRange given) {
  if (wanted == given) {
    return success();
  }
  auto list = [](InFlightDiagnostic &diagnostic, TypeRange types) {
    diagnostic << '(';
    llvm::interleaveComma(types, diagnostic);
    diagnostic << ')';
  };
  InFlightDiagnostic diagnostic = op->emitOpError("expected ") << what << " of types ";
  list(diagnostic, wanted);
  diagnostic << ", got ";
  list(diagnostic, given);
  return diagnostic;
}

/// Views describe memory and stay where they were made: neither loops nor branches pass them on.
static LogicalResult verifyNoViews(Operation *op, StringRef what, TypeRange types) {
  for (auto [number, type] : llvm::enumerate(types)) {
    if (isa<TensorViewType, TileView>(type)) {
      return op->emitOpError("cannot have a view as ") << what << " " << number << ", got " << type;
    }
  }
  return success();
}

LogicalResult ForOp::verify() {
  return failure(failed(verifyTypes(*this, "results", getInitValues().getTypes(), getResultTypes())) ||
                 failed(verifyNoViews(*this, "carried value", getInitValues().getTypes())));
}

LogicalResult ForOp::verifyRegions() {
  SmallVector<Type> wanted = {getLowerBound().getType()};
  llvm::append_range(wanted, getInitValues().getTypes());
  return verifyTypes(*this, "body arguments", wanted, getBody().getArgumentTypes());
}

LogicalResult LoopOp::verifyRegions() {
  if (!isa<ContinueOp, BreakOp, ReturnOp>(getBody().front().back())) {
    return emitOpError("expected the body to end in continue, break or return");
  }
  return failure(
      failed(verifyTypes(*this, "body arguments", getInitValues().getTypes(), getBody().getArgumentTypes())) ||
      failed(verifyNoViews(*this, "carried value", getInitValues().getTypes())) ||
      failed(verifyNoViews(*this, "result", getResultTypes())));
}

LogicalResult IfOp::verifyRegions() {
  if (getNumResults() && getElseRegion().empty()) {
    return emitOpError("expected an else region, as there are results");
  }
  if (failed(verifyNoViews(*this, "result", getResultTypes()))) {
    return failure();
  }
  for (Region *region : getRegions()) {
    if (region->empty()) {
      continue;
    }
    Operation &last = region->front().back();
    if (!isa<YieldOp, ContinueOp, BreakOp, ReturnOp>(last)) {
      return emitOpError("expected each region to end in yield, continue, break or return");
    }
    if (isa<YieldOp>(last) && failed(verifyTypes(&last, "values", getResultTypes(), last.getOperandTypes()))) {
      return failure();
    }
  }
  return success();
}

/// The loop a jump belongs to; only `if` may stand between.
static Operation *getTarget(Operation *jump) {
  Operation *parent = jump->getParentOp();
  while (isa_and_nonnull<IfOp>(parent)) {
    parent = parent->getParentOp();
  }
  return parent;
}

LogicalResult ContinueOp::verify() {
  Operation *target = getTarget(*this);
  if (auto loop = dyn_cast_or_null<ForOp>(target)) {
    return verifyTypes(*this, "values", loop.getInitValues().getTypes(), getOperandTypes());
  }
  if (auto loop = dyn_cast_or_null<LoopOp>(target)) {
    return verifyTypes(*this, "values", loop.getInitValues().getTypes(), getOperandTypes());
  }
  return emitOpError("expected to be in a for or loop");
}

LogicalResult BreakOp::verify() {
  Operation *target = getTarget(*this);
  if (!isa_and_nonnull<LoopOp>(target)) {
    return emitOpError("expected to be in a loop") << (isa_and_nonnull<ForOp>(target) ? "; a for cannot be left" : "");
  }
  return verifyTypes(*this, "values", target->getResultTypes(), getOperandTypes());
}

LogicalResult ReturnOp::verify() {
  Operation *parent = (*this)->getParentOp();
  while (isa_and_nonnull<IfOp, LoopOp>(parent)) {
    parent = parent->getParentOp();
  }
  if (!isa_and_nonnull<EntryOp>(parent)) {
    return emitOpError("expected to be in an entry, with only if and loop between")
           << (isa_and_nonnull<ForOp>(parent) ? "; a for cannot be left" : "");
  }
  if (getNumOperands()) {
    return emitOpError("expected no values, as a kernel has no results, got ") << getNumOperands();
  }
  return success();
}
